"""How attention on a grid over a picture lies to boxes in it.

The picture is the unit square, x to the right, y downwards; the grid cuts it into equal cells. Legend: H rows, W
columns of the grid; Y, X the rows and columns of a finer one, cut at every edge of a box as well.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

Grid = NDArray[np.float64]
ROUNDING = 1e-6


class Box(Protocol):
    """An upright rectangle in unit coordinates; the boxes of scenes are such."""

    @property
    def left(self) -> float: ...
    @property
    def top(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def bottom(self) -> float: ...


def checked_grid(weights_HW: NDArray[np.floating], where: str) -> Grid:
    """The weights divided by their sum, once they are numbers from 0 on, not all 0."""
    if weights_HW.ndim != 2 or 0 in weights_HW.shape:
        raise DataError(f"{where}: the attention has shape {weights_HW.shape}, expected was (rows, columns) of a grid")
    if not np.isfinite(weights_HW).all() or (weights_HW < 0).any() or not weights_HW.sum() > 0:
        raise DataError(f"{where}: the attention must be finite numbers from 0 on, and not all 0")
    shares_HW: Grid = weights_HW.astype(np.float64) / float(weights_HW.sum())
    return shares_HW


def coverage(boxes: Sequence[Box], height: int, width: int) -> Grid:
    """What share of each cell the boxes cover together; its mean is the area of the region that they make."""
    for box in boxes:
        if not (
            -ROUNDING <= box.left < box.right <= 1 + ROUNDING and -ROUNDING <= box.top < box.bottom <= 1 + ROUNDING
        ):
            raise DataError(
                f"{box} is no box within the picture: expected 0 ≤ left < right ≤ 1 and 0 ≤ top < bottom ≤ 1"
            )
    rows_Y = _cuts(height, [edge for box in boxes for edge in (box.top, box.bottom)])
    columns_X = _cuts(width, [edge for box in boxes for edge in (box.left, box.right)])
    y_Y, x_X = ((cuts[:-1] + cuts[1:]) / 2 for cuts in (rows_Y, columns_X))
    inside_YX = covered(boxes, y_Y[:, None], x_X[None, :])
    area_YX = np.diff(rows_Y)[:, None] * np.diff(columns_X)[None, :] * inside_YX
    cell_Y, cell_X = (y_Y * height).astype(int), (x_X * width).astype(int)
    share_HW = np.zeros((height, width))
    np.add.at(share_HW, (cell_Y[:, None], cell_X[None, :]), area_YX)
    return share_HW * (height * width)


def covered(boxes: Sequence[Box], y: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of the points lie in one of the boxes, edges included."""
    inside = np.zeros(np.broadcast_shapes(y.shape, x.shape), dtype=bool)
    for box in boxes:
        inside |= (box.left <= x) & (x <= box.right) & (box.top <= y) & (y <= box.bottom)
    return inside


def cell_centres_covered(boxes: Sequence[Box], height: int, width: int) -> NDArray[np.bool_]:
    """For each cell whether its centre lies in one of the boxes: (H, W)."""
    return covered(boxes, ((np.arange(height) + 0.5) / height)[:, None], ((np.arange(width) + 0.5) / width)[None, :])


def _cuts(cells: int, edges: Sequence[float]) -> NDArray[np.float64]:
    cuts = np.concatenate([np.arange(cells + 1) / cells, np.clip(np.asarray(edges, dtype=np.float64), 0, 1)])
    return np.unique(cuts)
