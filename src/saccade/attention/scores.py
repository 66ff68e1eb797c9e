"""Scores: how well a query fits a key, before the softmax.

Shapes: B batch, H heads, Q queries, K keys, D width of one head.
"""

from typing import Literal

import torch
from torch import Tensor, nn

ScoreName = Literal["scaled-dot", "dot", "additive"]


class Dot(nn.Module):
    """score(q, k) = scale · qᵀk, with scale 1 (Luong et al. 2015) or 1/√D (Vaswani et al. 2017).

    Without the scaling the variance of a score grows with D, the softmax saturates and its gradient vanishes.
    """

    def __init__(self, *, scaled: bool = True) -> None:
        super().__init__()
        self.scaled = scaled

    def scale(self, dim: int) -> float:
        """The factor that torch's fused kernel is given."""
        return dim**-0.5 if self.scaled else 1.0

    def forward(self, query_BHQD: Tensor, key_BHKD: Tensor) -> Tensor:
        return (query_BHQD * self.scale(query_BHQD.shape[-1])) @ key_BHKD.transpose(-2, -1)


class Additive(nn.Module):
    """score(q, k) = vᵀ tanh(q + k), where q and k are already projected (Bahdanau et al. 2015); one v for each head."""

    def __init__(self, *, heads: int, dim: int) -> None:
        super().__init__()
        self.v_HD = nn.Parameter(torch.empty(heads, dim))
        nn.init.uniform_(self.v_HD, -(dim**-0.5), dim**-0.5)

    def forward(self, query_BHQD: Tensor, key_BHKD: Tensor) -> Tensor:
        hidden_BHQKD = torch.tanh(query_BHQD.unsqueeze(-2) + key_BHKD.unsqueeze(-3))
        return torch.einsum("bhqkd,hd->bhqk", hidden_BHQKD, self.v_HD)


Score = Dot | Additive


def make_score(name: ScoreName, *, heads: int, dim: int) -> Score:
    """The score called ``name`` for ``heads`` heads of width ``dim``."""
    match name:
        case "scaled-dot":
            return Dot(scaled=True)
        case "dot":
            return Dot(scaled=False)
        case "additive":
            return Additive(heads=heads, dim=dim)
