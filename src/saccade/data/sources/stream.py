"""A stream of pairs that knows what its source left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar

from saccade.data.examples import Pair
from saccade.errors import DataError

Example = TypeVar("Example")


class PairStream(Iterator[Pair]):
    """The pairs of one specification, once through.

    Ends in a :class:`DataError` if there was no pair at all, or none with text on both sides.
    """

    def __init__(self, shown: str, pairs: Iterator[Pair], skipped: Counter[str]) -> None:
        self._shown = shown
        self._skipped = skipped
        self._pairs = self._checked(pairs)

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many records of which kind the source has left out so far, such as ``{"fuzzy": 3}``."""
        return MappingProxyType({kind: count for kind, count in self._skipped.items() if count})

    def __next__(self) -> Pair:
        return next(self._pairs)

    def _checked(self, pairs: Iterator[Pair]) -> Iterator[Pair]:
        count = 0
        for pair in pairs:
            count += 1
            yield pair
            if pair.source.strip() and pair.target.strip():
                yield from pairs
                return
        if count:
            raise DataError(f"{self._shown}: only blank lines: none of {count:,} pairs has text on both sides")
        raise DataError(f"{self._shown}: no pairs found{skipped_clause(self.skipped)}")


def skipped_clause(skipped: Mapping[str, int]) -> str:
    """``; the source skipped 3 fuzzy, 1 header``, or nothing."""
    if not skipped:
        return ""
    return "; the source skipped " + ", ".join(f"{count:,} {kind}" for kind, count in sorted(skipped.items()))


def at_least_one(examples: Iterator[Example], shown: str, what: str) -> Iterator[Example]:
    """The examples as they come; ends in a :class:`DataError` if there was none."""
    found = False
    for example in examples:
        found = True
        yield example
    if not found:
        raise DataError(f"{shown}: no {what} found")
