"""Pearson's and Spearman's correlation of predicted numbers, times 100 as GLUE gives them.

Where one side is constant there is no correlation to speak of: such a sample counts as 0.

Legend: N examples, V different values.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.evaluation.measured import Measured, Times, check_lengths


def pearson(gold: Sequence[float], predicted: Sequence[float]) -> Measured:
    """100 · Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)² Σ (y − ȳ)²)."""
    gold_N, predicted_N = _numbers(gold, predicted)
    return Measured("Pearson", len(gold_N), lambda times_N: 100 * _correlation(gold_N, predicted_N, times_N))


def spearman(gold: Sequence[float], predicted: Sequence[float]) -> Measured:
    """100 · Pearson's correlation of the ranks; equal numbers share the mean of their ranks."""
    gold_N, predicted_N = (_values(numbers_N) for numbers_N in _numbers(gold, predicted))

    def score(times_N: Times) -> float:
        # The ranks are those within the sample, so that a resample is scored like any other set of examples.
        return 100 * _correlation(_ranks(gold_N, times_N), _ranks(predicted_N, times_N), times_N)

    return Measured("Spearman", len(gold_N), score)


def _correlation(x_N: NDArray[np.float64], y_N: NDArray[np.float64], times_N: Times) -> float:
    drawn_N = times_N > 0
    if np.ptp(x_N[drawn_N]) == 0 or np.ptp(y_N[drawn_N]) == 0:
        return 0.0
    x_N, y_N = (values_N - np.average(values_N, weights=times_N) for values_N in (x_N, y_N))
    return float(times_N @ (x_N * y_N)) / math.sqrt((times_N @ x_N**2) * (times_N @ y_N**2))


def _values(numbers_N: NDArray[np.float64]) -> NDArray[np.int64]:
    """Which of the different values, from the least, each number is."""
    _, places_N = np.unique(numbers_N, return_inverse=True)
    return places_N


def _ranks(values_N: NDArray[np.int64], times_N: Times) -> NDArray[np.float64]:
    """A value that is found t times behind b lesser ones has the ranks b+1 … b+t: their mean is b + (t+1)/2."""
    times_V = np.bincount(values_N, weights=times_N)
    ranks_V = np.cumsum(times_V) - times_V + (times_V + 1) / 2
    return np.asarray(ranks_V[values_N])


def _numbers(gold: Sequence[float], predicted: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    check_lengths(len(predicted), len(gold), "predictions", "gold numbers")
    gold_N, predicted_N = np.asarray(gold, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    for name, numbers_N in (("gold", gold_N), ("predicted", predicted_N)):
        if not np.isfinite(numbers_N).all():
            place = int(np.argmin(np.isfinite(numbers_N)))
            raise DataError(f"the {name} number of example {place + 1} is {numbers_N[place]}: expected a finite one")
    return gold_N, predicted_N
