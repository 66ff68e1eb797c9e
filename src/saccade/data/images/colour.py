"""Varying the light and the colours of a batch of pictures, whose numbers go from 0 (black) to 1 (white).

Shapes: B pictures of a batch, C the three channels, H height, W width.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

LUMA = (0.299, 0.587, 0.114)  # how bright red, green and blue look (ITU-R BT.601)


@dataclass(frozen=True)
class ColourJitter:
    """Brightness, contrast and saturation by factors f ~ U(1 − s, 1 + s), drawn for each picture, in this order.

    brightness: f x; contrast: m + f (x − m) with m the mean grey of the picture; saturation: g + f (x − g) with g the
    grey of the pixel; each is cut to 0 … 1.
    """

    brightness: float = 0.0
    contrast: float = 0.0
    saturation: float = 0.0

    def __call__(self, pictures_BCHW: Tensor, generator: torch.Generator) -> Tensor:
        factors_3B = 2 * torch.rand(3, len(pictures_BCHW), generator=generator) - 1
        strengths = (self.brightness, self.contrast, self.saturation)
        for strength, change, factor_B in zip(strengths, (brighten, contrast, saturate), factors_3B, strict=True):
            if strength:
                factor_B111 = (1 + strength * factor_B).clamp(min=0).to(pictures_BCHW)[:, None, None, None]
                pictures_BCHW = change(pictures_BCHW, factor_B111)
        return pictures_BCHW


def brighten(pictures_BCHW: Tensor, factor_B111: Tensor) -> Tensor:
    """f x"""
    return (pictures_BCHW * factor_B111).clamp(0, 1)


def contrast(pictures_BCHW: Tensor, factor_B111: Tensor) -> Tensor:
    """m + f (x − m), m the mean grey of the picture"""
    mean_B111 = grey(pictures_BCHW).mean(dim=(1, 2, 3), keepdim=True)
    return torch.lerp(mean_B111.expand_as(pictures_BCHW), pictures_BCHW, factor_B111).clamp(0, 1)


def saturate(pictures_BCHW: Tensor, factor_B111: Tensor) -> Tensor:
    """g + f (x − g), g the grey of the pixel"""
    grey_B1HW = grey(pictures_BCHW)
    return torch.lerp(grey_B1HW.expand_as(pictures_BCHW), pictures_BCHW, factor_B111).clamp(0, 1)


def grey(pictures_BCHW: Tensor) -> Tensor:
    """0.299 red + 0.587 green + 0.114 blue, (B, 1, H, W)"""
    return (pictures_BCHW * pictures_BCHW.new_tensor(LUMA).view(-1, 1, 1)).sum(dim=1, keepdim=True)
