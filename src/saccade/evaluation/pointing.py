"""Pointing: does attention, when a word is said, point at what the word names?

The pointing game (Zhang et al. 2016): a word is a hit if the peak of its attention falls into the word's gold region.
Beside the share of hits stand what blind pointing would give: *chance*, a random place (the region's share of the
picture), and *centre*, always the middle of the picture; and *reach*, the share that the grid could hit at best, since
a region smaller than a cell may hold no cell's centre.

Legend: N pictures, H rows, W columns of the grid, S counts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.evaluation.measured import RESAMPLES, Measured, to_score
from saccade.evaluation.regions import Box, cell_centres_covered, checked_grid, coverage, covered
from saccade.evaluation.translation import Score

HIT, MASS, CHANCE, CENTRE, REACH, WORDS = range(6)  # the columns of what is counted for each picture


@dataclass(frozen=True)
class PointedWord:
    """A said word, the attention over the picture when it was said, and the boxes of what it names (at least one)."""

    picture: str
    word: str
    weights_HW: NDArray[np.floating]
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class WordPointing:
    """Of one word: how often it was said, and its shares in per cent."""

    said: int
    hits: float
    mass: float
    chance: float
    centre: float


@dataclass(frozen=True)
class PointingScores:
    """All in per cent of the words. ``hits`` and ``mass`` (of the attention within the region) against the baselines.

    ``above_chance`` and ``above_centre`` are the differences, with intervals of their own: one that holds 0 is no news.
    """

    hits: Score
    mass: Score
    chance: Score
    centre: Score
    reach: Score
    above_chance: Score
    above_centre: Score
    by_word: Mapping[str, WordPointing]
    words: int
    pictures: int

    @property
    def scores(self) -> tuple[Score, ...]:
        """All of them, in the order in which they are shown."""
        return (self.hits, self.chance, self.centre, self.reach, self.mass, self.above_chance, self.above_centre)


def score_pointing(pointed: Sequence[PointedWord], *, resamples: int = RESAMPLES) -> PointingScores:
    """The shares over all words, with intervals over pictures, whose words do not err apart. 0 resamples: none."""
    if not pointed:
        raise DataError("there is no word with a gold region: pointing needs at least one")
    by_picture: dict[str, list[NDArray[np.float64]]] = defaultdict(list)
    by_word: dict[str, list[NDArray[np.float64]]] = defaultdict(list)
    for one in pointed:
        counts_S = _counts(one)
        by_picture[one.picture].append(counts_S)
        by_word[one.word].append(counts_S)
    counts_NS = np.stack([np.sum(counts, axis=0) for counts in by_picture.values()])

    def score(name: str, column: int, minus: int | None = None) -> Score:
        values_N = counts_NS[:, column] - (0 if minus is None else counts_NS[:, minus])
        words_N = counts_NS[:, WORDS]
        measured = Measured(name, len(values_N), lambda times_N: 100 * float(times_N @ values_N / (times_N @ words_N)))
        return to_score(measured, settings=f"words:{len(pointed)}", unit="pictures", resamples=resamples)

    return PointingScores(
        hits=score("pointing", HIT),
        mass=score("attention within", MASS),
        chance=score("chance", CHANCE),
        centre=score("centre", CENTRE),
        reach=score("reach of the grid", REACH),
        above_chance=score("above chance", HIT, CHANCE),
        above_centre=score("above centre", HIT, CENTRE),
        by_word=MappingProxyType({word: _word(counts) for word, counts in sorted(by_word.items(), key=_often_first)}),
        words=len(pointed),
        pictures=len(by_picture),
    )


def _counts(one: PointedWord) -> NDArray[np.float64]:
    where = f'"{one.word}" in {one.picture}'
    if not one.boxes:
        raise DataError(f"{where} has no box: give only words whose region is known")
    weights_HW = checked_grid(one.weights_HW, where)
    share_HW = coverage(one.boxes, *weights_HW.shape)
    centres_HW = cell_centres_covered(one.boxes, *weights_HW.shape)
    # Equally strong cells share the peak: even attention then scores as chance does, not as the first corner.
    peak_HW = weights_HW >= weights_HW.max()
    middle = np.array(0.5)
    return np.array(
        [
            centres_HW[peak_HW].mean(),
            (weights_HW * share_HW).sum(),
            share_HW.mean(),
            float(covered(one.boxes, middle, middle)),
            float(centres_HW.any()),
            1.0,
        ]
    )


def _word(counts: Sequence[NDArray[np.float64]]) -> WordPointing:
    means_S = 100 * np.mean(counts, axis=0)
    return WordPointing(
        said=len(counts),
        hits=float(means_S[HIT]),
        mass=float(means_S[MASS]),
        chance=float(means_S[CHANCE]),
        centre=float(means_S[CENTRE]),
    )


def _often_first(item: tuple[str, list[NDArray[np.float64]]]) -> tuple[int, str]:
    word, counts = item
    return -len(counts), word
