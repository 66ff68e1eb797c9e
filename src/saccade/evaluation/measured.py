"""A metric on a set of predictions, as a function of the sample: its value, interval and paired test follow from it.

Legend: N examples (or sentences).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.evaluation.resampling import draws, paired_p_value, percentile_interval
from saccade.evaluation.translation import PairedTest, Score
from saccade.version import __version__

RESAMPLES = 1000
SEED = 1

Times = NDArray[np.int64]  # how often each example is in a sample: (N,)


@dataclass(frozen=True)
class Measured:
    """``score`` gives the metric of a sample in which example n is found ``times_N[n]`` times."""

    name: str
    examples: int
    score: Callable[[Times], float]

    @property
    def value(self) -> float:
        """Of all examples, each once."""
        return self.score(np.ones(self.examples, dtype=np.int64))

    def resampled(self, resamples: int) -> NDArray[np.float64]:
        return np.array([self.score(times_N) for times_N in draws(self.examples, resamples=resamples, seed=SEED)])


@dataclass(frozen=True)
class PredictionScores:
    """The scores of one set of predictions, in the order in which they are shown."""

    scores: tuple[Score, ...]
    examples: int


def scored(measured: Sequence[Measured], *, settings: str = "", resamples: int = RESAMPLES) -> PredictionScores:
    """The values with their intervals; ``settings`` says more for the signature. 0 resamples: no interval."""
    scores = tuple(to_score(one, settings=settings, resamples=resamples) for one in measured)
    return PredictionScores(scores, measured[0].examples)


def to_score(measured: Measured, *, settings: str = "", unit: str = "examples", resamples: int = RESAMPLES) -> Score:
    """One value, the middle 95 % of its resamples, and how both were come by."""
    interval = percentile_interval(measured.resampled(resamples)) if resamples else None
    drawn = f"bs:{resamples}|seed:{SEED}" if resamples else ""
    parts = (f"{unit}:{measured.examples}", settings, drawn, f"version:{__version__}")
    return Score(measured.name, measured.value, "|".join(part for part in parts if part), interval)


def compared(
    a: Measured, b: Measured, *, settings: str = "", unit: str = "examples", resamples: int = RESAMPLES
) -> PairedTest:
    """Two systems by the same metric on the same resamples of the examples; above zero, b is better."""
    check_lengths(a.examples, b.examples, "predictions of a", "predictions of b")
    differences, observed = b.resampled(resamples) - a.resampled(resamples), b.value - a.value
    return PairedTest(
        metric=a.name,
        a=to_score(a, settings=settings, unit=unit, resamples=resamples),
        b=to_score(b, settings=settings, unit=unit, resamples=resamples),
        difference=observed,
        interval=percentile_interval(differences),
        p_value=paired_p_value(differences, observed),
    )


def check_tags(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> None:
    """A tag for each word of each sentence."""
    check_lengths(len(predicted), len(gold), "tagged sentences", "gold sentences")
    for number, (ours, theirs) in enumerate(zip(predicted, gold, strict=True), start=1):
        if len(ours) != len(theirs):
            raise DataError(f"sentence {number} has {len(theirs)} words and {len(ours)} predicted tags: give one each")


def check_lengths(ours: int, theirs: int, our_name: str, their_name: str) -> None:
    """As many of the one as of the other, and at least one."""
    if ours != theirs:
        raise DataError(f"there are {ours:,} {our_name} and {theirs:,} {their_name}: give one for each")
    if not ours:
        raise DataError(f"there are no {our_name} to score: a score needs at least one")
