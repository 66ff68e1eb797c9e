"""The ready recipes that come with the package."""

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

ENDING = ".yaml"


@dataclass(frozen=True, slots=True)
class ShippedRecipe:
    """``name`` is what ``load`` takes; ``description`` is the first comment line of its file."""

    name: str
    description: str


def shipped() -> list[ShippedRecipe]:
    """Every recipe of the package by name."""
    found = (entry for entry in _folder().iterdir() if entry.name.endswith(ENDING))
    recipes = (ShippedRecipe(entry.name.removesuffix(ENDING), _first_comment(entry)) for entry in found)
    return sorted(recipes, key=lambda recipe: recipe.name)


def shipped_text(name: str) -> str | None:
    """The YAML of a shipped recipe, or ``None`` if there is none of that name."""
    if name not in {recipe.name for recipe in shipped()}:
        return None
    return (_folder() / f"{name}{ENDING}").read_text(encoding="utf-8")


def _folder() -> Traversable:
    return files("saccade") / "recipes"


def _first_comment(entry: Traversable) -> str:
    comments = (line for line in entry.read_text(encoding="utf-8").splitlines() if line.startswith("#"))
    return next(comments, "").lstrip("# ")
