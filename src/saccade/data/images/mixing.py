"""Mixing each picture of a batch with another of it, and what is to be found in them in the same measure.

Shapes: B pictures of a batch, C channels, H height, W width, K classes.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from saccade.data.images.augment import Rectangles, inside


@dataclass(frozen=True)
class Mixed:
    """Mixed pictures, and for each the share of every class in it; the shares sum to one."""

    pictures_BCHW: Tensor
    targets_BK: Tensor


@dataclass(frozen=True)
class Pairs:
    """For each picture, which ``other_B`` it is mixed with, and its own share λ_B."""

    share_B: Tensor
    other_B: Tensor


@dataclass(frozen=True)
class Mixup:
    """λ x_i + (1 − λ) x_j and λ t_i + (1 − λ) t_j, λ ~ Beta(α, α) for each pair (Zhang et al. 2017)."""

    alpha: float = 0.2

    def __call__(self, pictures_BCHW: Tensor, targets_BK: Tensor, generator: torch.Generator) -> Mixed:
        """``targets_BK`` are one-hot or already soft."""
        pairs = _pairs(len(pictures_BCHW), self.alpha, generator)
        share_B111 = pairs.share_B.to(pictures_BCHW)[:, None, None, None]
        return Mixed(
            torch.lerp(pictures_BCHW[pairs.other_B], pictures_BCHW, share_B111),
            _mixed_targets(targets_BK, pairs.share_B, pairs.other_B),
        )


@dataclass(frozen=True)
class Cutmix:
    """A rectangle of x_i is taken from x_j; the targets are mixed by area (Yun et al. 2019).

    Its sides are √(1 − λ) of the picture's, λ ~ Beta(α, α); its middle is uniform on the picture, what reaches over the
    border is cut off. λ is then the share of pixels that stayed: λ t_i + (1 − λ) t_j.
    """

    alpha: float = 1.0

    def __call__(self, pictures_BCHW: Tensor, targets_BK: Tensor, generator: torch.Generator) -> Mixed:
        """``targets_BK`` are one-hot or already soft."""
        count, _, height, width = pictures_BCHW.shape
        pairs = _pairs(count, self.alpha, generator)
        side_B = torch.sqrt(1 - pairs.share_B)
        down_B, right_B = torch.rand(2, count, generator=generator)
        cut = Rectangles(down_B - side_B / 2, right_B - side_B / 2, side_B, side_B)
        inside_BHW = inside(cut, height, width)
        stayed_B = 1 - inside_BHW.float().mean(dim=(1, 2))
        inside_B1HW = inside_BHW[:, None].to(pictures_BCHW.device)
        return Mixed(
            torch.where(inside_B1HW, pictures_BCHW[pairs.other_B], pictures_BCHW),
            _mixed_targets(targets_BK, stayed_B, pairs.other_B),
        )


def _pairs(count: int, alpha: float, generator: torch.Generator) -> Pairs:
    other_B = torch.randperm(count, generator=generator)
    # torch draws from no Beta distribution with a generator of one's own; NumPy does, and the generator seeds it.
    seed = int(torch.randint(2**63 - 1, (), generator=generator))
    share_B = np.random.default_rng(seed).beta(alpha, alpha, size=count)
    return Pairs(torch.from_numpy(share_B).float(), other_B)


def _mixed_targets(targets_BK: Tensor, share_B: Tensor, other_B: Tensor) -> Tensor:
    return torch.lerp(targets_BK[other_B], targets_BK, share_B.to(targets_BK)[:, None])
