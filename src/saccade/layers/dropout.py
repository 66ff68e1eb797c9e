"""Dropout (Srivastava et al. 2014), with random numbers that are cheap on a CPU."""

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

_LEVELS = 1 << 16


class Dropout(nn.Module):
    """Each number becomes 0 with probability p and is divided by 1 − p otherwise; in training only.

    Torch draws 64 random bits for each number, one after the other, which takes a fifth of a small model's step on a
    CPU. Here four numbers share them: half the time, p exact to 1/65,536. The divisor is that of the p really used.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0.0:
            return x
        if x.device.type != "cpu":
            return dropout(x, self.p)
        dropped = min(round(self.p * _LEVELS), _LEVELS - 1)
        draws = torch.empty((x.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
        level = draws.view(torch.int16)[: x.numel()].view(x.shape)
        kept = level >= dropped - _LEVELS // 2
        return x * kept.to(x.dtype).mul_(_LEVELS / (_LEVELS - dropped))

    def extra_repr(self) -> str:
        return f"p={self.p}"
