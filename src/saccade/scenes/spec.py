"""What stands behind ``scenes:`` in a recipe: a name, and options behind a question mark."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import parse_qsl

from saccade.errors import DataError
from saccade.scenes.descriptions import DEFAULT_SIZES, SPLITS, Split

OPTIONS = ("size", "seed")
Choice = TypeVar("Choice", bound=str)


@dataclass(frozen=True, slots=True)
class Options:
    """What ``?size=5000&seed=3`` asks for."""

    size: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """Which examples are wanted, everything decided."""

    split: Split
    size: int
    seed: int


class Query:
    """The options behind the question mark, as they are written; each reader says what it expects."""

    def __init__(self, spec: str, known: Sequence[str] = OPTIONS) -> None:
        self.spec = spec
        self.values: dict[str, str] = {}
        _, mark, query = spec.partition("?")
        for name, value in parse_qsl(query, keep_blank_values=True, separator="&") if mark else ():
            if name not in known:
                raise DataError(f"scenes:{spec}: unknown option {name!r}; known are {', '.join(known)}")
            if name in self.values:
                raise DataError(f"scenes:{spec}: option {name!r} is given twice; give it once")
            self.values[name] = value

    def whole(self, name: str) -> int | None:
        """A whole number, None where it is not given."""
        value = self.values.get(name)
        if value is None:
            return None
        if not value.isdecimal():
            raise DataError(f"scenes:{self.spec}: {name} is {value!r}; a whole number is expected, as in {name}=3")
        return int(value)

    def share(self, name: str) -> float | None:
        """A number from 0 to 1, None where it is not given."""
        value = self.values.get(name)
        if value is None:
            return None
        try:
            share = float(value)
        except ValueError:
            share = -1
        if not 0 <= share <= 1:
            raise DataError(f"scenes:{self.spec}: {name} is {value!r}; a share is expected, as in {name}=0.8")
        return share

    def one_of(self, name: str, choices: Sequence[Choice]) -> Choice:
        """One of the choices, the first where it is not given."""
        value = self.values.get(name, choices[0])
        for choice in choices:
            if choice == value:
                return choice
        raise DataError(f"scenes:{self.spec}: {name} is {value!r}; known are {', '.join(choices)}")

    def options(self) -> Options:
        return Options(self.whole("size"), self.whole("seed"))


def read_options(spec: str) -> Options:
    """The options of a spec that has none of its own."""
    return Query(spec).options()


def decide(spec: str, asked: Options, *, split: str, size: int | None, seed: int) -> Draw:
    """What is drawn: options of the spec go before the arguments, and those before the default sizes."""
    if split not in SPLITS:
        raise DataError(f"scenes:{spec}: unknown split {split!r}; known are {', '.join(SPLITS)}")
    wanted = asked.size if asked.size is not None else size if size is not None else DEFAULT_SIZES[split]
    if wanted < 1:
        raise DataError(f"scenes:{spec}: size is {wanted}; it must be 1 or more")
    return Draw(split, wanted, seed if asked.seed is None else asked.seed)
