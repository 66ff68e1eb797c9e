"""Varying a batch of pictures at random: where one looks, from which side, and what is hidden.

Every kind is called with the pictures and a generator, from which alone it draws: with the generator in the same state
a step is repeated exactly. Draws are made for the whole batch at once, on the CPU, wherever the pictures are.

Shapes: B pictures of a batch, C channels, H height, W width, S the new size.
"""

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample, pad


class Augmentation(Protocol):
    """Pictures in, varied pictures out."""

    def __call__(self, pictures_BCHW: Tensor, generator: torch.Generator) -> Tensor: ...


@dataclass(frozen=True)
class InOrder:
    """One after another, as they are given."""

    steps: tuple[Augmentation, ...]

    def __call__(self, pictures_BCHW: Tensor, generator: torch.Generator) -> Tensor:
        for step in self.steps:
            pictures_BCHW = step(pictures_BCHW, generator)
        return pictures_BCHW


@dataclass(frozen=True)
class PaddedCrop:
    """A window of the old size from the picture with ``padding`` more pixels on every side, each place equally likely.

    The added pixels are zero, or mirror the picture (``reflect``). As He et al. 2015 train on CIFAR-10.
    """

    padding: int
    border: Literal["zero", "reflect"] = "zero"

    def __call__(self, pictures_BCHW: Tensor, generator: torch.Generator) -> Tensor:
        count, _, height, width = pictures_BCHW.shape
        mode = "constant" if self.border == "zero" else "reflect"
        padded = pad(pictures_BCHW, [self.padding] * 4, mode=mode)
        # A view of every window there is, which costs nothing; only the chosen ones are copied.
        windows_BCYXHW = padded.unfold(2, height, 1).unfold(3, width, 1)
        top_left_2B = torch.randint(2 * self.padding + 1, (2, count), generator=generator)
        top_B, left_B = top_left_2B.to(pictures_BCHW.device)
        return windows_BCYXHW[torch.arange(count, device=pictures_BCHW.device), :, top_B, left_B]


@dataclass(frozen=True)
class Flip:
    """Left and right changed, with this probability."""

    probability: float = 0.5

    def __call__(self, pictures_BCHW: Tensor, generator: torch.Generator) -> Tensor:
        flipped_B = torch.rand(len(pictures_BCHW), generator=generator) < self.probability
        return torch.where(
            flipped_B.to(pictures_BCHW.device)[:, None, None, None], pictures_BCHW.flip(-1), pictures_BCHW
        )


@dataclass(frozen=True)
class Rectangles:
    """One rectangle for each picture: ``top_B``, ``left_B``, ``height_B`` and ``width_B`` in shares of the picture."""

    top_B: Tensor
    left_B: Tensor
    height_B: Tensor
    width_B: Tensor


@dataclass(frozen=True)
class RectangleDraw:
    """Area a ~ U(``area``) of the picture's, log proportion log r ~ U(log ``ratio``) of width to height.

    width = √(a r), height = √(a / r), each at most the whole; the place is uniform among those inside the picture.
    """

    area: tuple[float, float]
    ratio: tuple[float, float]

    def __call__(self, count: int, generator: torch.Generator) -> Rectangles:
        area_B, ratio_B, down_B, right_B = torch.rand(4, count, generator=generator)
        area_B = self.area[0] + area_B * (self.area[1] - self.area[0])
        log_low, log_high = math.log(self.ratio[0]), math.log(self.ratio[1])
        ratio_B = torch.exp(log_low + ratio_B * (log_high - log_low))
        width_B = torch.sqrt(area_B * ratio_B).clamp(max=1)
        height_B = torch.sqrt(area_B / ratio_B).clamp(max=1)
        return Rectangles(down_B * (1 - height_B), right_B * (1 - width_B), height_B, width_B)


@dataclass(frozen=True)
class ResizedCrop:
    """A random rectangle of the picture, made ``size`` × ``size`` by bilinear interpolation (Szegedy et al. 2014).

    Made for pictures about as large as ``size``: a rectangle that is much larger is not smoothed before it shrinks.
    """

    size: int
    area: tuple[float, float] = (0.25, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)

    def __call__(self, pictures_BCHW: Tensor, generator: torch.Generator) -> Tensor:
        count, channels, _, _ = pictures_BCHW.shape
        found = RectangleDraw(self.area, self.ratio)(count, generator)
        # From the new picture's coordinates, −1 … 1, to the old one's: the middle of the rectangle plus its half size.
        map_B23 = torch.zeros(count, 2, 3)
        map_B23[:, 0, 0], map_B23[:, 1, 1] = found.width_B, found.height_B
        map_B23[:, 0, 2] = 2 * found.left_B + found.width_B - 1
        map_B23[:, 1, 2] = 2 * found.top_B + found.height_B - 1
        grid_BSS2 = affine_grid(map_B23.to(pictures_BCHW), [count, channels, self.size, self.size], align_corners=False)
        return grid_sample(pictures_BCHW, grid_BSS2, padding_mode="border", align_corners=False)


@dataclass(frozen=True)
class Erasing:
    """With this probability all pixels of a random rectangle become ``value`` (Zhong et al. 2017).

    After normalising, 0 is the mean colour.
    """

    probability: float = 0.5
    area: tuple[float, float] = (0.02, 0.33)
    ratio: tuple[float, float] = (0.3, 1 / 0.3)
    value: float = 0.0

    def __call__(self, pictures_BCHW: Tensor, generator: torch.Generator) -> Tensor:
        count, _, height, width = pictures_BCHW.shape
        hit_B = torch.rand(count, generator=generator) < self.probability
        found = RectangleDraw(self.area, self.ratio)(count, generator)
        inside_BHW = inside(found, height, width) & hit_B[:, None, None]
        return pictures_BCHW.masked_fill(inside_BHW[:, None].to(pictures_BCHW.device), self.value)


def inside(rectangles: Rectangles, height: int, width: int) -> Tensor:
    """Whether the middle of a pixel is in the picture's rectangle, (B, H, W)."""
    y_H, x_W = (torch.arange(height) + 0.5) / height, (torch.arange(width) + 0.5) / width
    top_B1, left_B1 = rectangles.top_B[:, None], rectangles.left_B[:, None]
    rows_BH = (y_H >= top_B1) & (y_H < top_B1 + rectangles.height_B[:, None])
    columns_BW = (x_W >= left_B1) & (x_W < left_B1 + rectangles.width_B[:, None])
    return rows_BH[:, :, None] & columns_BW[:, None, :]
