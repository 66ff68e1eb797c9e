"""Ways to see a picture: whole or through a window, perhaps mirrored, perhaps with parts of it painted over."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from saccade.data.examples import Box, PictureRef
from saccade.data.images.reading import Fit, Pixels, read_picture
from saccade.data.images.variation import VariationName

WHOLE = Box(0, 0, 1, 1)
NEAR, FAR = 0.8, 0.2  # a corner is four fifths of each side, from here on or from there
CORNERS = tuple(Box(left, top, left + NEAR, top + NEAR) for top in (0.0, FAR) for left in (0.0, FAR))


@dataclass(frozen=True)
class Way:
    """Through a square ``window`` of the picture, and whether as in a mirror."""

    window: Box = WHOLE
    mirrored: bool = False

    def box(self, box: Box) -> Box | None:
        """Where a box of the picture lies in what is seen of it; None where nothing is."""
        side = self.window.right - self.window.left
        left, right = (_within((edge - self.window.left) / side) for edge in (box.left, box.right))
        top, bottom = (_within((edge - self.window.top) / side) for edge in (box.top, box.bottom))
        if left >= right or top >= bottom:
            return None
        return Box(1 - right, top, 1 - left, bottom) if self.mirrored else Box(left, top, right, bottom)


def _within(share: float) -> float:
    return min(max(share, 0.0), 1.0)


AS_IT_IS = Way()


@dataclass(frozen=True)
class View:
    """A picture, what is painted over in it, and the way in which it is seen."""

    picture: PictureRef
    hidden: tuple[Box, ...] = ()
    way: Way = AS_IT_IS

    @property
    def key(self) -> str:
        """The same text for the same view of the same file in the same state; another picture has another."""
        state = self.picture.path.stat()
        way = "" if self.way == AS_IT_IS else f" {self.way}"
        return f"{self.picture.key} {state.st_size} {state.st_mtime_ns} {self.hidden or ''}{way}"

    def pixels(self, size: int, fit: Fit) -> Pixels:
        """(size, size, 3). A window is cut from the picture read larger, so that nothing is resampled twice."""
        window = self.way.window
        whole = round(size / (window.right - window.left))
        read = painted_over(read_picture(self.picture, size=whole, fit=fit), self.hidden)
        top, left = (min(round(edge * whole), whole - size) for edge in (window.top, window.left))
        seen = read[top : top + size, left : left + size]
        return np.ascontiguousarray(seen[:, ::-1]) if self.way.mirrored else seen


def ways_to_see(augment: VariationName) -> tuple[Way, ...]:
    """``light``: as it is and mirrored; ``strong``: also its four corners, two of them mirrored."""
    if augment == "none":
        return (AS_IT_IS,)
    both = (AS_IT_IS, Way(mirrored=True))
    return both if augment == "light" else (*both, *(Way(box, n in (1, 2)) for n, box in enumerate(CORNERS)))


def painted_over(pixels_SS3: Pixels, hidden: Sequence[Box]) -> Pixels:
    """The picture with the mean of its colours in every box; no box, and it is the picture itself."""
    if not hidden:
        return pixels_SS3
    height, width, _ = pixels_SS3.shape
    painted = pixels_SS3.copy()
    for box in hidden:
        rows = slice(int(box.top * height), math.ceil(box.bottom * height))
        columns = slice(int(box.left * width), math.ceil(box.right * width))
        painted[rows, columns] = pixels_SS3.mean(axis=(0, 1))
    return painted
