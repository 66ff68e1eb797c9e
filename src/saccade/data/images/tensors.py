"""From decoded pictures to tensors, and to channels of mean 0 and deviation 1.

Shapes: B pictures of a batch, C the three channels, H height, W width.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from saccade.data.images.reading import Pixels
from saccade.errors import DataError


@dataclass(frozen=True)
class Channels:
    """Mean and standard deviation of red, green and blue, where 0 is black and 1 is white."""

    mean: tuple[float, float, float]
    std: tuple[float, float, float]

    def normalise(self, pictures_BCHW: Tensor) -> Tensor:
        """(x − mean) / std, for each channel."""
        mean, std = self._column(pictures_BCHW, self.mean), self._column(pictures_BCHW, self.std)
        return (pictures_BCHW - mean) / std

    def restore(self, pictures_BCHW: Tensor) -> Tensor:
        """x · std + mean: what :meth:`normalise` was given."""
        return pictures_BCHW * self._column(pictures_BCHW, self.std) + self._column(pictures_BCHW, self.mean)

    @staticmethod
    def _column(like_BCHW: Tensor, values: tuple[float, float, float]) -> Tensor:
        return like_BCHW.new_tensor(values).view(-1, 1, 1)


IMAGENET = Channels(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225))


def to_tensor(pictures_BHWC: Pixels) -> Tensor:
    """Bytes 0 … 255 of the shape (B, H, W, 3) to numbers 0 … 1 of the shape (B, 3, H, W)."""
    return torch.from_numpy(np.ascontiguousarray(pictures_BHWC)).permute(0, 3, 1, 2).float().div_(255)


def measured_channels(pictures_HWC: Iterable[Pixels]) -> Channels:
    """Mean and deviation of each channel over all pixels of all pictures, in one pass.

    Sums of bytes and of their squares are whole numbers, so no order of the pictures changes the result.
    """
    count = 0
    total, squares = np.zeros(3, np.int64), np.zeros(3, np.int64)
    for picture in pictures_HWC:
        values = picture.reshape(-1, 3).astype(np.int64)
        count += len(values)
        total += values.sum(axis=0)
        squares += (values**2).sum(axis=0)
    if not count:
        raise DataError("there is no picture to measure the channels of")
    mean = total / count
    std = np.sqrt(np.maximum(squares / count - mean**2, 0))
    if not std.all():
        raise DataError("a channel has the same value in every pixel of every picture: nothing can be learned from it")
    return Channels(_three(mean / 255), _three(std / 255))


def _three(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float, float]:
    red, green, blue = values.tolist()
    return red, green, blue
