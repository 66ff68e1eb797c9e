"""What a captioner reads: the places of a picture.

Shapes: B pictures, G places of the grid, C width of their vectors, E width of the model.
"""

import torch
from torch import Tensor, nn

from saccade.layers.dropout import Dropout
from saccade.layers.memory import Encoded, Encoder


class PlaceEmbedding(nn.Module):
    """x_g = norm(W a_g) + P[g], then dropout: (B, G, C) → (B, G, E); positions only where they are asked for."""

    def __init__(self, *, channels: int, dim: int, places: int | None, dropout: float) -> None:
        super().__init__()
        self.project = nn.Linear(channels, dim)
        self.norm = nn.LayerNorm(dim)
        self.positions = None if places is None else nn.Parameter(torch.randn(places, dim) * dim**-0.5)
        self.dropout = Dropout(dropout)

    def forward(self, grid_BGC: Tensor) -> Tensor:
        x_BGE: Tensor = self.norm(self.project(grid_BGC))
        placed_BGE: Tensor = self.dropout(x_BGE if self.positions is None else x_BGE + self.positions)
        return placed_BGE


class PlaceEncoder(Encoder):
    """The places as they are; what is remembered in the end is their mean, through a layer of its own."""

    def __init__(self, *, dim: int) -> None:
        super().__init__()
        self.mean = nn.Linear(dim, dim)

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        final_BE = torch.tanh(self.mean(x_BSE.mean(dim=1)))
        return Encoded(x_BSE, real_BS, final_BE=final_BE)
