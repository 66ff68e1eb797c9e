"""What is wrong with a recipe, each with its place; all of it is told at once."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn

from saccade.errors import RecipeError

KeyPath = tuple[str | int, ...]


def dotted(path: KeyPath) -> str:
    """``("train", "betas", 0)`` as a user writes it: ``train.betas.0``."""
    return ".".join(str(part) for part in path)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value came from: a file with its line and column (both from 1), or an override."""

    place: str
    line: int | None = None
    column: int | None = None
    is_override: bool = False

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.place, self.line, self.column) if part is not None)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend: ``origin: path: message``."""

    origin: Origin
    path: KeyPath
    message: str

    def __str__(self) -> str:
        return ": ".join(str(part) for part in (self.origin, dotted(self.path), self.message) if str(part))


def refuse(place: str, problems: Iterable[Problem]) -> NoReturn:
    """Raise one ``RecipeError`` that holds every problem, the file's in the order of its lines, then the overrides'."""
    ordered = sorted(problems, key=lambda problem: (problem.origin.is_override, problem.origin.line or 0))
    count = f"{len(ordered)} problem{'s' if len(ordered) != 1 else ''}"
    raise RecipeError("\n".join([f"{place}: {count}", *map(str, ordered)]))


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that ``word`` was most likely meant to be, if any comes close."""
    found = get_close_matches(word, list(candidates), n=1, cutoff=0.6)
    return found[0] if found else None
