"""What stands behind ``scenes:`` in a recipe: a name, and options behind a question mark."""

from dataclasses import dataclass
from urllib.parse import parse_qsl

from saccade.errors import DataError
from saccade.scenes.descriptions import DEFAULT_SIZES, SPLITS, Split

OPTIONS = ("size", "seed")


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


def read_options(spec: str) -> Options:
    """The options behind the question mark."""
    _, mark, query = spec.partition("?")
    numbers: dict[str, int] = {}
    for name, value in parse_qsl(query, keep_blank_values=True, separator="&") if mark else ():
        if name not in OPTIONS:
            raise DataError(f"scenes:{spec}: unknown option {name!r}; known are {', '.join(OPTIONS)}")
        if name in numbers:
            raise DataError(f"scenes:{spec}: option {name!r} is given twice; give it once")
        if not value.isdecimal():
            raise DataError(f"scenes:{spec}: {name} is {value!r}; a whole number is expected, as in {name}=3")
        numbers[name] = int(value)
    return Options(numbers.get("size"), numbers.get("seed"))


def decide(spec: str, asked: Options, *, split: str, size: int | None, seed: int) -> Draw:
    """What is drawn: options of the spec go before the arguments, and those before the default sizes."""
    if split not in SPLITS:
        raise DataError(f"scenes:{spec}: unknown split {split!r}; known are {', '.join(SPLITS)}")
    wanted = asked.size if asked.size is not None else size if size is not None else DEFAULT_SIZES[split]
    if wanted < 1:
        raise DataError(f"scenes:{spec}: size is {wanted}; it must be 1 or more")
    return Draw(split, wanted, seed if asked.seed is None else asked.seed)
