import numpy as np
import pytest

from saccade.errors import DataError
from saccade.evaluation.regions import cell_centres_covered, checked_grid, coverage
from saccade.scenes.world import Box


def test_the_share_of_each_cell() -> None:
    # a box over the left three quarters of the upper half, on a grid of 2 × 2
    np.testing.assert_allclose(coverage([Box(0, 0, 0.75, 0.5)], 2, 2), [[1, 0.5], [0, 0]])


def test_where_boxes_overlap_the_place_counts_once() -> None:
    share_HW = coverage([Box(0.1, 0.1, 0.6, 0.6), Box(0.4, 0.4, 0.9, 0.9), Box(0.2, 0.2, 0.3, 0.3)], 7, 5)
    assert share_HW.mean() == pytest.approx(0.25 + 0.25 - 0.04)
    assert share_HW.max() <= 1 + 1e-12


def test_no_boxes_cover_nothing() -> None:
    np.testing.assert_array_equal(coverage([], 2, 3), np.zeros((2, 3)))


def test_centres() -> None:
    np.testing.assert_array_equal(
        cell_centres_covered([Box(0.25, 0.0, 0.7, 0.5)], 2, 2), [[True, False], [False, False]]
    )


@pytest.mark.parametrize("box", [Box(0.5, 0, 0.5, 1), Box(0, 0, 1.2, 1), Box(-0.2, 0, 1, 1), Box(0, 0.9, 1, 0.1)])
def test_what_is_no_box(box: Box) -> None:
    with pytest.raises(DataError, match="is no box within the picture: expected 0 ≤ left < right ≤ 1"):
        coverage([box], 2, 2)


def test_what_is_no_attention() -> None:
    with pytest.raises(DataError, match=r"dog: the attention has shape \(4,\), expected was \(rows, columns\)"):
        checked_grid(np.ones(4), "dog")
    for wrong in (np.zeros((2, 2)), np.array([[1.0, -1.0]]), np.array([[1.0, np.nan]])):
        with pytest.raises(DataError, match="dog: the attention must be finite numbers from 0 on, and not all 0"):
            checked_grid(wrong, "dog")
