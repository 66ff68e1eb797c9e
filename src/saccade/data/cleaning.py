"""Cleaning: drop the pairs no model should learn from, and say exactly what was dropped.

Also the choice of which pairs to hold out for validation when only a training file is given.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from types import MappingProxyType
from typing import Literal

from saccade.data.examples import Pair
from saccade.data.sources.stream import PairStream, skipped_clause
from saccade.errors import DataError, RecipeError

Reason = Literal["empty", "too long", "ratio"]

RATIO_FROM = 40  # characters: below this a ratio says nothing ("Hi" may well be "Schönen guten Tag")
HASH_BYTES = 8


@dataclass(frozen=True)
class CleaningRules:
    """``max_characters`` a side; ``max_ratio`` of the longer side to the shorter, in characters, ``None`` for any.

    The ratio is looked at only when the longer side has more than 40 characters.
    """

    max_characters: int = 5000
    max_ratio: float | None = 9.0

    def __post_init__(self) -> None:
        if self.max_characters < 1:
            raise RecipeError(f"max_characters is {self.max_characters}: expected at least 1")
        if self.max_ratio is not None and not self.max_ratio >= 1:
            raise RecipeError(f"max_ratio is {self.max_ratio}: expected at least 1, or none for no limit")


DEFAULT_RULES = CleaningRules()


@dataclass(frozen=True)
class Dropped:
    """How many pairs were dropped for one reason, where the first of them stood and what was wrong with it."""

    count: int
    first_where: str
    detail: str = ""

    def __str__(self) -> str:
        return f"(first: {self.first_where}{', ' if self.detail else ''}{self.detail})"


@dataclass(frozen=True)
class CleaningReport:
    """What became of the pairs; ``skipped`` is what the source itself had left out before."""

    read: int
    kept: int
    dropped: Mapping[Reason, Dropped]
    skipped: Mapping[str, int]

    def sentence(self) -> str:
        """The whole report in one sentence."""
        kept = "all" if self.kept == self.read else f"{self.kept:,}"
        return f"read {_pairs(self.read)}, kept {kept}{self._dropped_clause()}{skipped_clause(self.skipped)}"

    def _dropped_clause(self) -> str:
        if not self.dropped:
            return ""
        return "; dropped " + ", ".join(
            f"{dropped.count:,} {reason} {dropped}" for reason, dropped in self.dropped.items()
        )


class Cleaner(Iterator[Pair]):
    """The pairs that keep to the rules, once through; :attr:`report` can be asked for at any time.

    Ends in a :class:`DataError` if pairs were read and none was kept.
    """

    def __init__(self, pairs: Iterable[Pair], rules: CleaningRules = DEFAULT_RULES) -> None:
        self._source = pairs
        self._pairs = iter(pairs)
        self._rules = rules
        self._read = 0
        self._kept = 0
        self._dropped: dict[Reason, Dropped] = {}

    @property
    def report(self) -> CleaningReport:
        """What became of the pairs read so far."""
        skipped = self._source.skipped if isinstance(self._source, PairStream) else MappingProxyType({})
        return CleaningReport(self._read, self._kept, MappingProxyType(dict(self._dropped)), skipped)

    def __next__(self) -> Pair:
        for pair in self._pairs:
            self._read += 1
            fault = _fault(pair, self._rules)
            if fault is None:
                self._kept += 1
                return pair
            self._drop(fault, pair.where or f"pair {self._read:,}")
        if self._read and not self._kept:
            raise DataError(f"no pair is left to use: {self.report.sentence()}")
        raise StopIteration

    def _drop(self, fault: "_Fault", where: str) -> None:
        before = self._dropped.get(fault.reason)
        self._dropped[fault.reason] = (
            Dropped(1, where, fault.detail) if before is None else replace(before, count=before.count + 1)
        )


@dataclass(frozen=True, slots=True)
class _Fault:
    reason: Reason
    detail: str = ""


def _fault(pair: Pair, rules: CleaningRules) -> _Fault | None:
    source, target = len(pair.source), len(pair.target)
    longer, shorter = max(source, target), min(source, target)
    if not pair.source.strip() or not pair.target.strip():
        return _Fault("empty")
    if longer > rules.max_characters:
        side = "source" if source >= target else "target"
        return _Fault("too long", f"{side} of {longer:,} characters, limit {rules.max_characters:,}")
    if rules.max_ratio is not None and longer > RATIO_FROM and longer > rules.max_ratio * shorter:
        ratio = f"{longer / shorter:.1f} to 1, limit {rules.max_ratio:g}"
        return _Fault("ratio", f"source of {source:,} characters, target of {target:,}: {ratio}")
    return None


def is_text_held_out(text: str, share: float) -> bool:
    """Whether a text belongs to the validation part: hash(text) / 2⁶⁴ < share.

    Equal texts never stand on both sides, whatever the order, the machine or the number of them; and what is held out
    at a small share is held out at a larger one.
    """
    return are_bytes_held_out(text.encode("utf-8", "surrogatepass"), share)


def are_bytes_held_out(data: bytes, share: float) -> bool:
    """The same of anything that is bytes, such as a picture's file."""
    if not 0 < share < 1:
        raise RecipeError(f"the share to hold out is {share}: expected a number between 0 and 1, such as 0.01")
    digest = blake2b(data, digest_size=HASH_BYTES).digest()
    return int.from_bytes(digest, "big") < share * (1 << 8 * HASH_BYTES)


def _pairs(count: int) -> str:
    return f"{count:,} pair" if count == 1 else f"{count:,} pairs"
