"""How pictures are read: as pixels, or as the features of a frozen CNN.

Shapes: B pictures, S × S pixels, G places, C width of their vectors.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from saccade.data.images.reading import Fit
from saccade.data.images.store import Pictures
from saccade.data.images.tensors import to_tensor
from saccade.data.images.variation import VariationName, batch_generator, variation
from saccade.interop.backbones import find_backbone
from saccade.models import GridShape, PixelShape
from saccade.tasks.captioned import Told
from saccade.tasks.features import Eye
from saccade.tasks.views import View, Way, ways_to_see

PIXELS = 64


@dataclass(frozen=True)
class Vision:
    """Squares of ``pixels``, or the grid that a ``backbone`` sees in them, with ``weights`` of a file or its package.

    Where nobody says how large, captioners read 64 pixels, and a backbone has a size of its own.
    """

    pixels: int | None = None
    fit: Fit = "crop"
    backbone: str | None = None
    weights: str | None = None

    @property
    def shape(self) -> GridShape | PixelShape:
        if self.backbone is None:
            return PixelShape(self.size)
        found = find_backbone(self.backbone)
        return GridShape(found.side(self.size), found.channels)

    @property
    def size(self) -> int:
        """The side of the square that is looked at, in pixels."""
        return self.pixels or (PIXELS if self.backbone is None else find_backbone(self.backbone).size)

    def eye(self) -> Eye | None:
        """The backbone; None where pictures are read as pixels."""
        if self.backbone is None:
            return None
        return Eye.open(self.backbone, weights=self.weights, fit=self.fit, size=self.size)

    def rows(self, pictures: Sequence[Told], say: Callable[[str], None] = lambda text: None) -> "PictureRows":
        """What a model reads of these pictures; a backbone looks at those that it has not seen before."""
        eye = self.eye()
        if eye is None:
            return ReadRows(pictures, self)
        views = [View(one.file()) for one in pictures]
        eye.remember(views, say)
        return GridRows(eye, views)


class PictureRows(Protocol):
    """Pictures by their numbers, as a model reads them, each in one of the ``ways`` to see it, by its number."""

    @property
    def ways(self) -> Sequence[Way]:
        """The first is as it is."""

    def batch(self, numbers: Sequence[int], ways: Sequence[int] | None = None) -> Tensor: ...


class PixelRows:
    """(B, 3, S, S), from the store of a run, varied anew whenever they are asked for."""

    ways = ways_to_see("none")

    def __init__(self, store: Pictures, augment: VariationName = "none") -> None:
        self._store = store
        self._variation = None if augment == "none" else variation(augment, pixels=store.size)

    def batch(self, numbers: Sequence[int], ways: Sequence[int] | None = None) -> Tensor:
        del ways
        pictures_B3SS = to_tensor(self._store.batch(numbers))
        if self._variation is None:
            return centred(pictures_B3SS)
        return self._variation(pictures_B3SS, centred, batch_generator())


class ReadRows:
    """(B, 3, S, S), read or drawn when they are asked for."""

    ways = ways_to_see("none")

    def __init__(self, pictures: Sequence[Told], vision: Vision) -> None:
        self._pictures = pictures
        self._vision = vision

    def batch(self, numbers: Sequence[int], ways: Sequence[int] | None = None) -> Tensor:
        del ways
        size, fit = self._vision.size, self._vision.fit
        return centred(to_tensor(np.stack([self._pictures[number].pixels(size, fit) for number in numbers])))


class GridRows:
    """(B, G, C), from the cache of features."""

    def __init__(self, eye: Eye, views: Sequence[View], augment: VariationName = "none") -> None:
        self.ways = ways_to_see(augment)
        self._cache = eye.cache()
        seen = [[eye.key(replace(view, way=way)) for view in views] for way in self.ways]
        self._rows_WN = np.stack([self._cache.rows(keys) for keys in seen])

    def batch(self, numbers: Sequence[int], ways: Sequence[int] | None = None) -> Tensor:
        rows_B = self._rows_WN[0 if ways is None else np.asarray(ways), np.asarray(numbers)]
        return torch.from_numpy(self._cache.batch(rows_B)).float()


def centred(pictures_B3SS: Tensor) -> Tensor:
    """Numbers from 0 to 1 to numbers from −1 (black) to 1 (white)."""
    return 2 * pictures_B3SS - 1
