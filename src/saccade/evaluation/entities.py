"""Precision, recall and F1 of whole entities, as conlleval and seqeval count them, times 100.

An entity is right if its first word, its last word and its type are. Legend: N sentences, S counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from saccade.data.sources import to_bio
from saccade.errors import DataError
from saccade.evaluation.classification import f1_of
from saccade.evaluation.measured import RESAMPLES, Measured, check_tags, compared, to_score
from saccade.evaluation.translation import PairedTest, Score

RIGHT, GOLD, PREDICTED = range(3)  # the columns of what is counted for each sentence
SETTINGS = "entities:bio"
F1 = "entity F1"

Tags = Sequence[str]
CountsScore = Callable[[NDArray[np.int64]], float]


@dataclass(frozen=True)
class Entity:
    """The words from ``start`` up to, not including, ``end`` name something of this ``kind``."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class KindScore:
    """Of one type of entity: the three numbers, and how many of it there are."""

    precision: float
    recall: float
    f1: float
    gold: int


@dataclass(frozen=True)
class EntityScores:
    """Of all types together with interval, and of each for itself, types by the alphabet."""

    precision: Score
    recall: Score
    f1: Score
    by_kind: Mapping[str, KindScore]
    sentences: int

    @property
    def scores(self) -> tuple[Score, ...]:
        """All of them, in the order in which they are shown."""
        return (self.f1, self.precision, self.recall)


def entities(tags: Tags) -> frozenset[Entity]:
    """The entities of one sentence. As for conlleval, an I- behind O or behind another type begins one."""
    found = []
    start = None
    bio = [*to_bio(tags), "O"]
    for place, tag in enumerate(bio):
        if start is not None and not tag.startswith("I-"):
            found.append(Entity(bio[start][2:], start, place))
            start = None
        if tag.startswith("B-"):
            start = place
    return frozenset(found)


def score_entities(gold: Sequence[Tags], predicted: Sequence[Tags], *, resamples: int = RESAMPLES) -> EntityScores:
    """The scores of the tags ``predicted`` for each word of each sentence. 0 resamples: no interval."""
    pairs = _both(gold, predicted)
    counts_NS = _counts(pairs)

    def score(name: str, value: CountsScore) -> Score:
        measured = _measured(name, value, counts_NS)
        return to_score(measured, settings=SETTINGS, unit="sentences", resamples=resamples)

    return EntityScores(
        precision=score("entity precision", _precision),
        recall=score("entity recall", _recall),
        f1=score(F1, f1_of),
        by_kind=_by_kind(pairs),
        sentences=len(pairs),
    )


def compare_entities(
    gold: Sequence[Tags], a: Sequence[Tags], b: Sequence[Tags], *, resamples: int = RESAMPLES
) -> PairedTest:
    """Two taggers by entity F1 on the same sentences; above zero, b is better."""
    one, other = (_measured(F1, f1_of, _counts(_both(gold, predicted))) for predicted in (a, b))
    return compared(one, other, settings=SETTINGS, unit="sentences", resamples=resamples)


@dataclass(frozen=True)
class _Both:
    """The entities of one sentence, the true ones and those found."""

    gold: frozenset[Entity]
    predicted: frozenset[Entity]

    def of(self, kind: str) -> "_Both":
        return _Both(*(frozenset(one for one in side if one.kind == kind) for side in (self.gold, self.predicted)))


def _both(gold: Sequence[Tags], predicted: Sequence[Tags]) -> list[_Both]:
    check_tags(gold, predicted)
    both = [_Both(entities(theirs), entities(ours)) for ours, theirs in zip(predicted, gold, strict=True)]
    if not any(one.gold for one in both):
        raise DataError(f"the gold tags of {len(gold):,} sentences hold no entity: there is nothing to score against")
    return both


def _counts(both: Sequence[_Both]) -> NDArray[np.int64]:
    return np.array([(len(one.gold & one.predicted), len(one.gold), len(one.predicted)) for one in both])


def _measured(name: str, value: CountsScore, counts_NS: NDArray[np.int64]) -> Measured:
    return Measured(name, len(counts_NS), lambda times_N: 100 * value(times_N @ counts_NS))


def _precision(sums_S: NDArray[np.int64]) -> float:
    return float(sums_S[RIGHT] / sums_S[PREDICTED]) if sums_S[PREDICTED] else 0.0


def _recall(sums_S: NDArray[np.int64]) -> float:
    return float(sums_S[RIGHT] / sums_S[GOLD]) if sums_S[GOLD] else 0.0


def _by_kind(both: Sequence[_Both]) -> Mapping[str, KindScore]:
    kinds = sorted({entity.kind for one in both for entity in one.gold | one.predicted})
    found = {}
    for kind in kinds:
        sums_S = _counts([one.of(kind) for one in both]).sum(axis=0)
        found[kind] = KindScore(
            precision=100 * _precision(sums_S),
            recall=100 * _recall(sums_S),
            f1=100 * f1_of(sums_S),
            gold=int(sums_S[GOLD]),
        )
    return MappingProxyType(found)
