"""What the pictures and pages of captions draw: plain records, checked once.

Legend: H rows, W columns of the attention's grid; Y rows, X columns of the picture's pixels; 3 its colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.errors import ModelError

Pixels = NDArray[np.uint8]


class Box(Protocol):
    """An upright rectangle in unit coordinates, y downwards; the boxes of scenes are such."""

    @property
    def left(self) -> float: ...
    @property
    def top(self) -> float: ...
    @property
    def right(self) -> float: ...
    @property
    def bottom(self) -> float: ...


@dataclass(frozen=True)
class WordLook:
    """A word and where its captioner looked when it said it; ``boxes`` is where the thing really is, if known."""

    word: str
    weights_HW: NDArray[np.floating]
    boxes: Sequence[Box] = ()


@dataclass(frozen=True)
class CaptionLook:
    """What one captioner said of a picture, word by word; ``open`` is the word that a page shows lit from the start.

    ``pixels_YX3`` are what it looked at, where that is another square of the picture than others looked at.
    """

    captioner: str
    words: tuple[WordLook, ...]
    open: int | None = None
    pixels_YX3: Pixels | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        return " ".join(look.word for look in self.words)


@dataclass(frozen=True)
class CaptionedPicture:
    """A picture of (Y, X, 3) bytes and what one captioner or several said of it; ``note`` stands below its ``name``."""

    name: str
    pixels_YX3: Pixels
    captions: tuple[CaptionLook, ...]
    note: str = ""


def checked_pixels(pixels_YX3: Pixels) -> Pixels:
    if pixels_YX3.ndim != 3 or pixels_YX3.shape[2] != 3 or 0 in pixels_YX3.shape or pixels_YX3.dtype != np.uint8:
        raise ModelError(
            f"the picture has shape {pixels_YX3.shape} of {pixels_YX3.dtype}: expected was (height, width, 3) of uint8"
        )
    return pixels_YX3


def checked_look(look: WordLook) -> NDArray[np.float64]:
    """The grid (H, W) of one word."""
    weights_HW = look.weights_HW
    if weights_HW.ndim != 2 or 0 in weights_HW.shape:
        raise ModelError(f'the attention of "{look.word}" has shape {weights_HW.shape}, expected was (rows, columns)')
    if not np.isfinite(weights_HW).all() or (weights_HW < 0).any():
        raise ModelError(f'the attention of "{look.word}" holds negative numbers, NaN or infinity: it cannot be drawn')
    return weights_HW.astype(np.float64)


def smooth(weights_HW: NDArray[np.float64], height: int, width: int) -> NDArray[np.float64]:
    """The grid on (height, width) points as a cubic B-spline surface: no steps, nothing beyond the grid's own range."""
    smooth_YX: NDArray[np.float64] = (
        _spline(weights_HW.shape[0], height) @ weights_HW @ _spline(weights_HW.shape[1], width).T
    )
    return smooth_YX


def _spline(cells: int, points: int) -> NDArray[np.float64]:
    """How much each cell counts at each point: (points, cells), rows sum to 1; the outer cells go on past the edge."""
    at = (np.arange(points) + 0.5) / points * cells - 0.5
    first = np.floor(at).astype(int)
    t = at - first
    counts = np.zeros((points, cells))
    parts = ((1 - t) ** 3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6, (-3 * t**3 + 3 * t**2 + 3 * t + 1) / 6, t**3 / 6)
    for step, part in enumerate(parts, start=-1):
        np.add.at(counts, (np.arange(points), np.clip(first + step, 0, cells - 1)), part)
    return counts
