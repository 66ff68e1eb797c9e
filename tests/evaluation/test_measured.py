import numpy as np
import pytest

from saccade.errors import DataError
from saccade.evaluation.classification import accuracy
from saccade.evaluation.correlation import spearman
from saccade.evaluation.measured import compared, scored, to_score

GOLD = ["a", "b"] * 50
GOOD = ["a", "b"] * 45 + ["b", "a"] * 5
POOR = ["a", "b"] * 30 + ["b", "a"] * 20


def test_the_interval_is_that_of_a_share() -> None:
    score = to_score(accuracy(GOLD, GOOD), settings="glue:rte")
    assert score.name == "accuracy"
    assert score.value == pytest.approx(90)
    assert score.interval is not None
    half = 1.96 * np.sqrt(0.9 * 0.1 / 100) * 100
    assert score.interval.low == pytest.approx(90 - half, abs=1.2)
    assert score.interval.high == pytest.approx(90 + half, abs=1.2)
    assert score.signature.startswith("examples:100|glue:rte|bs:1000|seed:1|version:")


def test_without_resamples_there_is_no_interval() -> None:
    found = scored([accuracy(GOLD, GOOD)], resamples=0)
    assert found.examples == 100
    assert [score.interval for score in found.scores] == [None]
    assert found.scores[0].signature.startswith("examples:100|version:")


def test_spearman_ranks_each_resample_anew() -> None:
    measured = spearman([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5])
    values = measured.resampled(200)
    assert np.isfinite(values).all()
    assert values.min() >= -100
    assert values.max() == pytest.approx(100)  # some resample holds only pairs in the right order


def test_two_systems_on_the_same_examples() -> None:
    test = compared(accuracy(GOLD, POOR), accuracy(GOLD, GOOD), settings="glue:rte")
    assert test.metric == "accuracy"
    assert (test.a.value, test.b.value, test.difference) == pytest.approx((60, 90, 30))
    assert test.interval.low > 0
    assert test.p_value < 0.01
    same = compared(accuracy(GOLD, GOOD), accuracy(GOLD, GOOD))
    assert (same.difference, same.p_value) == (0, 1)


def test_systems_on_different_examples() -> None:
    with pytest.raises(DataError, match="there are 100 predictions of a and 2 predictions of b: give one for each"):
        compared(accuracy(GOLD, GOOD), accuracy(["a", "b"], ["a", "b"]))
