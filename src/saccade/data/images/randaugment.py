"""RandAugment (Cubuk et al. 2019) in the operations that are cheap on a batch of tensors.

Shapes: B pictures of a batch, C the three channels, H height, W width.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample

from saccade.data.images.colour import brighten, contrast, saturate

# Pictures, and for each a signed strength from −1 to 1.
Operation = Callable[[Tensor, Tensor], Tensor]


def rotate(pictures_BCHW: Tensor, strength_B: Tensor) -> Tensor:
    """Turned by 30° · strength around the middle; corners that come from outside repeat the border."""
    angle_B = strength_B * math.radians(30)
    wide = pictures_BCHW.shape[3] / pictures_BCHW.shape[2]  # coordinates run from −1 to 1 along either side
    sin_B, cos_B, zero_B = torch.sin(angle_B), torch.cos(angle_B), torch.zeros_like(angle_B)
    return _mapped(pictures_BCHW, [cos_B, -sin_B / wide, zero_B], [sin_B * wide, cos_B, zero_B])


def shear_x(pictures_BCHW: Tensor, strength_B: Tensor) -> Tensor:
    """Rows pushed to the side, the further from the middle the more: by 0.3 · strength of their distance to it."""
    one_B, zero_B = torch.ones_like(strength_B), torch.zeros_like(strength_B)
    return _mapped(pictures_BCHW, [one_B, 0.3 * strength_B, zero_B], [zero_B, one_B, zero_B])


def shear_y(pictures_BCHW: Tensor, strength_B: Tensor) -> Tensor:
    """Columns pushed up or down, the further from the middle the more: by 0.3 · strength of their distance to it."""
    one_B, zero_B = torch.ones_like(strength_B), torch.zeros_like(strength_B)
    return _mapped(pictures_BCHW, [one_B, zero_B, zero_B], [0.3 * strength_B, one_B, zero_B])


def shift_x(pictures_BCHW: Tensor, strength_B: Tensor) -> Tensor:
    """Moved to the side by 0.3 · strength of the width."""
    one_B, zero_B = torch.ones_like(strength_B), torch.zeros_like(strength_B)
    return _mapped(pictures_BCHW, [one_B, zero_B, -0.6 * strength_B], [zero_B, one_B, zero_B])


def shift_y(pictures_BCHW: Tensor, strength_B: Tensor) -> Tensor:
    """Moved up or down by 0.3 · strength of the height."""
    one_B, zero_B = torch.ones_like(strength_B), torch.zeros_like(strength_B)
    return _mapped(pictures_BCHW, [one_B, zero_B, zero_B], [zero_B, one_B, -0.6 * strength_B])


def solarise(pictures_BCHW: Tensor, strength_B: Tensor) -> Tensor:
    """1 − x where x ≥ 1 − |strength|."""
    threshold_B111 = (1 - strength_B.abs())[:, None, None, None]
    return torch.where(pictures_BCHW >= threshold_B111, 1 - pictures_BCHW, pictures_BCHW)


def posterise(pictures_BCHW: Tensor, strength_B: Tensor) -> Tensor:
    """⌊255 x / 2^n⌋ · 2^n / 255 with n = round(4 |strength|): the last n bits of a byte are lost."""
    step_B111 = 2 ** torch.round(4 * strength_B.abs())[:, None, None, None]
    return torch.floor(torch.round(pictures_BCHW * 255) / step_B111) * step_B111 / 255


def _by_factor(change: Operation) -> Operation:
    """A change by a factor, 1 + 0.9 · strength."""
    return lambda pictures_BCHW, strength_B: change(pictures_BCHW, (1 + 0.9 * strength_B)[:, None, None, None])


def _mapped(pictures_BCHW: Tensor, row_x: list[Tensor], row_y: list[Tensor]) -> Tensor:
    """Each new pixel looks up an old place: two rows of the map from new to old coordinates, −1 … 1."""
    map_B23 = torch.stack([torch.stack(row_x, dim=1), torch.stack(row_y, dim=1)], dim=1)
    grid_BHW2 = affine_grid(map_B23, list(pictures_BCHW.shape), align_corners=False)
    return grid_sample(pictures_BCHW, grid_BHW2, padding_mode="border", align_corners=False)


OPERATIONS: tuple[Operation, ...] = (
    lambda pictures_BCHW, _: pictures_BCHW,
    _by_factor(brighten),
    _by_factor(contrast),
    _by_factor(saturate),
    solarise,
    posterise,
    rotate,
    shear_x,
    shear_y,
    shift_x,
    shift_y,
)


@dataclass(frozen=True)
class RandAugment:
    """``count`` operations one after another, each drawn for each picture, at ``strength`` with a random sign.

    Of the paper's operations AutoContrast, Equalize and Sharpness are left out; the first stands for doing nothing.
    Numbers go from 0 (black) to 1 (white).
    """

    count: int = 2
    strength: float = 0.3

    def __call__(self, pictures_BCHW: Tensor, generator: torch.Generator) -> Tensor:
        pictures_BCHW = pictures_BCHW.clone()
        for _ in range(self.count):
            chosen_B = torch.randint(len(OPERATIONS), (len(pictures_BCHW),), generator=generator)
            sign_B = 2 * torch.randint(2, (len(pictures_BCHW),), generator=generator) - 1
            for number, operation in enumerate(OPERATIONS):
                places = (chosen_B == number).nonzero().squeeze(1)
                if len(places):
                    strength_B = (self.strength * sign_B[places]).to(pictures_BCHW)
                    places = places.to(pictures_BCHW.device)
                    pictures_BCHW[places] = operation(pictures_BCHW[places], strength_B)
        return pictures_BCHW
