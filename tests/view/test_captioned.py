import numpy as np
import pytest

from saccade.errors import ModelError
from saccade.view.captioned import WordLook, checked_look, checked_pixels, smooth
from view.captions import caption, grid, picture


def test_smooth_is_even_where_the_grid_is() -> None:
    np.testing.assert_allclose(smooth(np.full((3, 5), 0.2), 31, 47), 0.2)


def test_smooth_stays_within_the_grid_and_peaks_where_it_does() -> None:
    weights_HW = grid(1, 4)
    smooth_YX = smooth(weights_HW, 40, 60)
    assert smooth_YX.shape == (40, 60)
    assert smooth_YX.min() >= weights_HW.min() - 1e-12
    assert smooth_YX.max() <= weights_HW.max()
    row, column = np.unravel_index(smooth_YX.argmax(), smooth_YX.shape)
    assert (row // 10, column // 10) == (1, 4)


def test_smooth_by_hand() -> None:
    # at a cell's own centre a cubic B-spline takes 4/6 of the cell and 1/6 of each neighbour
    np.testing.assert_allclose(smooth(np.array([[0.0, 6.0, 0.0]]), 1, 3), [[1.0, 4.0, 1.0]])


def test_the_text() -> None:
    assert caption().text == "a red ball"


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(
        ModelError, match=r"the picture has shape \(40, 60\) of uint8: expected was \(height, width, 3\)"
    ):
        checked_pixels(picture()[:, :, 0])
    with pytest.raises(ModelError, match="of float64: expected was"):
        checked_pixels(picture().astype(np.float64))
    with pytest.raises(ModelError, match=r'the attention of "dog" has shape \(3,\), expected was \(rows, columns\)'):
        checked_look(WordLook("dog", np.ones(3)))
    with pytest.raises(ModelError, match='the attention of "dog" holds negative numbers, NaN or infinity'):
        checked_look(WordLook("dog", np.array([[np.nan]])))
