import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.evaluation.resampling import (
    Interval,
    paired_p_value,
    percentile_interval,
    resampled_counts,
    resampled_scores,
)


def test_counts_are_sums_over_the_drawn_sentences() -> None:
    counts_NS = np.arange(12, dtype=np.float64).reshape(4, 3) ** 2
    generator = np.random.default_rng(7)
    expected = [sum(counts_NS[place] for place in generator.integers(0, 4, size=4)) for _ in range(20)]
    np.testing.assert_array_equal(resampled_counts(counts_NS, resamples=20, seed=7), expected)


def test_the_seed_decides() -> None:
    counts_NS = np.arange(30, dtype=np.float64)[:, None]
    same, again, other = (resampled_counts(counts_NS, resamples=50, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(same, again)
    assert (same != other).any()


def test_no_resamples_is_an_error() -> None:
    with pytest.raises(DataError, match="resamples is 0: a bootstrap needs at least 1"):
        resampled_counts(np.ones((3, 1)), resamples=0, seed=1)


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(0).normal(10.0, 2.0, size=400)
    means = resampled_scores(values[:, None], lambda sums_S: float(sums_S[0] / 400), resamples=4000, seed=3)
    interval = percentile_interval(means)
    half = 1.96 * values.std() / 20
    assert interval.low == pytest.approx(values.mean() - half, abs=0.02)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.02)


def test_percentiles() -> None:
    interval = percentile_interval(np.arange(101, dtype=np.float64), level=0.9)
    assert interval == Interval(pytest.approx(5.0), pytest.approx(95.0), 0.9)


def test_p_value_by_hand() -> None:
    # moved to zero: -2, -1, 0, 1, 2; as large as 2 are two of five
    assert paired_p_value(np.array([0.0, 1.0, 2.0, 3.0, 4.0]), 2.0) == pytest.approx(3 / 6)


def test_p_value_of_equal_systems_is_one() -> None:
    assert paired_p_value(np.zeros(99), 0.0) == 1.0


@pytest.mark.property
@given(st.lists(st.floats(-50, 50), min_size=1, max_size=40), st.floats(-50, 50))
@settings(max_examples=50)
def test_p_value_is_symmetric_and_never_zero(differences: list[float], observed: float) -> None:
    forward = paired_p_value(np.array(differences), observed)
    assert 0 < forward <= 1
    assert forward == paired_p_value(-np.array(differences), -observed)
