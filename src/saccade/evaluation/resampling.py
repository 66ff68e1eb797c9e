"""The bootstrap over sentences, from sufficient statistics (Koehn, 2004).

A corpus score such as BLEU is a function of counts summed over the sentences. A resample draws as many sentences with
replacement as the corpus has; its score needs only the sum of their counts, so no text is looked at twice.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError


@dataclass(frozen=True)
class Interval:
    """What lies between ``low`` and ``high`` in the share ``level`` of the resamples."""

    low: float
    high: float
    level: float = 0.95


def draws(sentences: int, *, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """For each resample, how often each sentence was drawn: (sentences,). The same seed draws the same sentences."""
    if resamples < 1:
        raise DataError(f"resamples is {resamples}: a bootstrap needs at least 1 (1000 is usual)")
    generator = np.random.default_rng(seed)
    for _ in range(resamples):
        yield np.bincount(generator.integers(0, sentences, size=sentences), minlength=sentences)


def resampled_counts(counts_NS: NDArray[np.float64], *, resamples: int, seed: int) -> NDArray[np.float64]:
    """Sums of the rows of ``counts_NS`` (sentence N, statistic S) over each of ``resamples`` draws: (resamples, S)."""
    return np.array([drawn_N @ counts_NS for drawn_N in draws(len(counts_NS), resamples=resamples, seed=seed)])


def resampled_scores(
    counts_NS: NDArray[np.float64],
    score: Callable[[NDArray[np.float64]], float],
    *,
    resamples: int,
    seed: int,
) -> NDArray[np.float64]:
    """``score`` of the summed counts of each resample. The same seed draws the same sentences, whatever is counted."""
    return np.array([score(sums_S) for sums_S in resampled_counts(counts_NS, resamples=resamples, seed=seed)])


def percentile_interval(values: NDArray[np.float64], *, level: float = 0.95) -> Interval:
    """The middle ``level`` of the values."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(low=float(low), high=float(high), level=level)


def paired_p_value(differences: NDArray[np.float64], observed: float) -> float:
    """Two-sided: how often chance alone, ``|d* - d|``, is as large as the observed difference ``|d|``.

    The differences of the resamples lie around the observed one; moved to zero they show what two equal systems
    would give. One is added above and below, so that no p-value is ever zero.
    """
    by_chance = np.abs(differences - observed) >= abs(observed)
    return float((by_chance.sum() + 1) / (len(differences) + 1))
