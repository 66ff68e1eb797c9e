"""How pictures are read: as pixels, or as the features of a frozen CNN.

Shapes: B pictures, S × S pixels, G places, C width of their vectors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from saccade.data.images.reading import Fit, Pixels
from saccade.data.images.store import Pictures
from saccade.data.images.tensors import to_tensor
from saccade.interop.backbones import find_backbone
from saccade.models import GridShape, PixelShape
from saccade.tasks.captioned import Told
from saccade.tasks.features import Eye, View


@dataclass(frozen=True)
class Vision:
    """``pixels`` a side, or the grid of a ``backbone`` with the ``weights`` of a file, or of its package."""

    pixels: int = 64
    fit: Fit = "crop"
    backbone: str | None = None
    weights: str | None = None

    @property
    def shape(self) -> GridShape | PixelShape:
        if self.backbone is None:
            return PixelShape(self.pixels)
        found = find_backbone(self.backbone)
        return GridShape(found.grid, found.channels)

    @property
    def size(self) -> int:
        """The side of the square that is looked at, in pixels."""
        return self.pixels if self.backbone is None else find_backbone(self.backbone).size

    def eye(self) -> Eye | None:
        """The backbone; None where pictures are read as pixels."""
        return None if self.backbone is None else Eye.open(self.backbone, weights=self.weights, fit=self.fit)

    def rows(self, pictures: Sequence[Told], say: Callable[[str], None] = lambda text: None) -> "PictureRows":
        """What a model reads of these pictures; a backbone looks at those that it has not seen before."""
        eye = self.eye()
        if eye is None:
            return ReadRows(pictures, self)
        views = [View(one.file()) for one in pictures]
        eye.remember(views, say)
        return GridRows(eye, views)


class PictureRows(Protocol):
    """Pictures by their numbers, as a model reads them."""

    def batch(self, numbers: Sequence[int]) -> Tensor: ...


@dataclass(frozen=True)
class PixelRows:
    """(B, 3, S, S), from the store of a run."""

    store: Pictures

    def batch(self, numbers: Sequence[int]) -> Tensor:
        return centred(self.store.batch(numbers))


@dataclass(frozen=True)
class ReadRows:
    """(B, 3, S, S), read or drawn when they are asked for."""

    pictures: Sequence[Told]
    vision: Vision

    def batch(self, numbers: Sequence[int]) -> Tensor:
        size, fit = self.vision.size, self.vision.fit
        return centred(np.stack([self.pictures[number].pixels(size, fit) for number in numbers]))


class GridRows:
    """(B, G, C), from the cache of features."""

    def __init__(self, eye: Eye, views: Sequence[View]) -> None:
        self._cache = eye.cache()
        self._rows = self._cache.rows([eye.key(view) for view in views])

    def batch(self, numbers: Sequence[int]) -> Tensor:
        return torch.from_numpy(self._cache.batch(self._rows[np.asarray(numbers)])).float()


def centred(pictures_BSS3: Pixels) -> Tensor:
    """Bytes (B, S, S, 3) to numbers from −1 (black) to 1 (white), (B, 3, S, S)."""
    return 2 * to_tensor(pictures_BSS3) - 1
