import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.naive import naive_pearson, naive_spearman
from saccade.errors import DataError
from saccade.evaluation.correlation import pearson, spearman

VALUES = st.integers(0, 6).map(lambda number: number / 2)


def test_by_hand() -> None:
    # x − x̄ = −1 0 1, y − ȳ = −1 −1 2: 3 / √(2·6)
    assert pearson([1, 2, 3], [0, 0, 3]).value == pytest.approx(100 * 3 / math.sqrt(12))
    # ranks 1 2 3 and 1.5 1.5 3: deviations −1 0 1 and −0.5 −0.5 1: 1.5 / √(2·1.5)
    assert spearman([1, 2, 3], [0, 0, 3]).value == pytest.approx(100 * 1.5 / math.sqrt(3))


def test_only_the_order_matters_to_spearman() -> None:
    gold, predicted = [0.5, 4.0, 2.5, 1.0], [math.exp(9 * x) for x in (0.5, 4.0, 2.5, 1.0)]
    assert spearman(gold, predicted).value == pytest.approx(100)
    assert pearson(gold, predicted).value < 90
    assert spearman(gold, [-x for x in predicted]).value == pytest.approx(-100)


def test_a_constant_has_no_correlation() -> None:
    for metric in (pearson, spearman):
        assert metric([1, 2, 3], [0.1, 0.1, 0.1]).value == 0
        assert metric([0.7, 0.7, 0.7], [1, 2, 3]).value == 0


def test_numbers_far_from_zero() -> None:
    gold, predicted = [1, 2, 3, 4], [1.0, 3.0, 2.0, 4.0]
    moved = [1e9 + x for x in predicted]
    assert pearson(gold, moved).value == pytest.approx(pearson(gold, predicted).value)


@pytest.mark.property
@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=20), st.data())
@settings(max_examples=80)
def test_as_the_naive_definitions_on_any_sample(pairs: list[tuple[float, float]], data: st.DataObject) -> None:
    gold, predicted = ([pair[side] for pair in pairs] for side in (0, 1))
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs)).filter(any))
    drawn = [pair for pair, count in zip(pairs, times, strict=True) for _ in range(count)]
    drawn_gold, drawn_predicted = ([pair[side] for pair in drawn] for side in (0, 1))
    for metric, naive in ((pearson, naive_pearson), (spearman, naive_spearman)):
        found = metric(gold, predicted).score(np.array(times))
        assert found == pytest.approx(100 * naive(drawn_gold, drawn_predicted), abs=1e-6)


def test_what_cannot_be_scored() -> None:
    with pytest.raises(DataError, match="there are 2 predictions and 1 gold numbers: give one for each"):
        pearson([1.0], [1.0, 2.0])
    with pytest.raises(DataError, match="the predicted number of example 2 is nan: expected a finite one"):
        spearman([1.0, 2.0], [1.0, math.nan])
    with pytest.raises(DataError, match="the gold number of example 1 is inf: expected a finite one"):
        spearman([math.inf, 2.0], [1.0, 2.0])
