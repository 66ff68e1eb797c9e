"""Overrides from the command line: ``train.lr=3e-4``."""

from dataclasses import dataclass
from typing import Self

from saccade.recipe.problems import dotted
from saccade.recipe.reading import ReadingError, Value, read


@dataclass(frozen=True, slots=True)
class Override:
    """``text`` as it was given, the keys on its left, and the YAML value on its right."""

    text: str
    keys: tuple[str, ...]
    value: Value

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``key.key=value``; ``ReadingError`` says what is wrong."""
        left, equals, right = text.partition("=")
        keys = tuple(key.strip() for key in left.split("."))
        if not equals or not all(keys):
            raise ReadingError("expected key=value, such as train.lr=3e-4")
        if not right.strip():
            raise ReadingError(f"no value after =; for none write {left.strip()}=null")
        try:
            reading = read(right)
        except ReadingError as error:
            raise ReadingError(f"{error}; a text with special characters needs quotes inside the value") from error
        if reading.repeated:
            raise ReadingError(f"{dotted(reading.repeated[0].path)} given twice")
        if right[reading.end :].strip():
            raise ReadingError("# starts a comment in the value; a text that holds it needs quotes inside the value")
        return cls(text, keys, reading.value)
