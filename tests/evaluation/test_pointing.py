import numpy as np
import pytest

from saccade.errors import DataError
from saccade.evaluation.pointing import PointedWord, score_pointing
from saccade.scenes.world import Box

LEFT_TOP = np.array([[0.7, 0.1], [0.1, 0.1]])
CORNER = Box(0.0, 0.0, 0.5, 0.5)
MIDDLE = Box(0.4, 0.4, 0.6, 0.6)


def pointed(weights: np.ndarray, *boxes: Box, picture: str = "p", word: str = "dog") -> PointedWord:
    return PointedWord(picture, word, weights, boxes)


def test_by_hand() -> None:
    found = score_pointing([pointed(LEFT_TOP, CORNER), pointed(LEFT_TOP, MIDDLE, word="cat")], resamples=0)
    assert found.hits.value == 50  # the corner's centre is in the corner, not in the middle
    assert found.chance.value == pytest.approx(100 * (0.25 + 0.04) / 2)
    assert found.centre.value == pytest.approx(100 * (1 + 1) / 2)  # (½, ½) is the corner's corner, too
    assert found.mass.value == pytest.approx(100 * (0.7 + 0.04) / 2)  # the middle has 0.04 of each cell: 0.01 / 0.25
    assert found.reach.value == 50  # no cell's centre lies in the middle
    assert found.above_chance.value == pytest.approx(50 - 14.5)
    assert (found.words, found.pictures) == (2, 1)


def test_even_attention_points_by_chance() -> None:
    [word] = [pointed(np.ones((4, 4)), CORNER)]
    found = score_pointing([word], resamples=0)
    assert found.hits.value == found.chance.value == found.mass.value == pytest.approx(25)


def test_the_sum_of_the_weights_does_not_matter() -> None:
    one, ten = (score_pointing([pointed(scale * LEFT_TOP, CORNER)], resamples=0) for scale in (1, 10))
    assert one.mass.value == pytest.approx(ten.mass.value)


def test_intervals_are_over_pictures() -> None:
    hit, miss = LEFT_TOP, LEFT_TOP[::-1, ::-1]
    # of two pictures with ten words each one is all right: words of one picture do not count as ten witnesses
    words = [pointed(weights, CORNER, picture=name) for name, weights in (("a", hit), ("b", miss)) for _ in range(10)]
    found = score_pointing(words, resamples=200)
    assert found.hits.value == 50
    assert found.hits.interval is not None
    assert (found.hits.interval.low, found.hits.interval.high) == (0, 100)
    assert found.hits.signature.startswith("pictures:2|words:20|bs:200")
    assert [score.name for score in found.scores][:4] == ["pointing", "chance", "centre", "reach of the grid"]


def test_by_word_the_most_frequent_first() -> None:
    words = [pointed(LEFT_TOP, CORNER, word="cat")] * 3 + [pointed(LEFT_TOP, MIDDLE, word="dog")]
    found = score_pointing(words, resamples=0)
    assert list(found.by_word) == ["cat", "dog"]
    assert found.by_word["cat"].said == 3
    assert (found.by_word["cat"].hits, found.by_word["dog"].hits) == (100, 0)


def test_what_cannot_be_scored() -> None:
    with pytest.raises(DataError, match="there is no word with a gold region: pointing needs at least one"):
        score_pointing([])
    with pytest.raises(DataError, match='"dog" in p has no box: give only words whose region is known'):
        score_pointing([pointed(LEFT_TOP)])
