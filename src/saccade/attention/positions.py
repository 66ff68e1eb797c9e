"""Positional encodings: attention sees a set, these give it an order.

Shapes: B batch, T positions, D width of the model.
"""

import math
from typing import Literal

import torch
from torch import Tensor, nn

from saccade.errors import ModelError

PositionName = Literal["sinusoidal", "learned", "none"]
Combine = Literal["add", "concatenate"]


def sinusoids(start: int, end: int, dim: int, *, device: torch.device | None = None) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/D)), PE(pos, 2i+1) = cos(pos / 10000^(2i/D)) for start ≤ pos < end, (T, D)."""
    position_T = torch.arange(start, end, dtype=torch.float64, device=device)
    frequency_I = torch.exp(torch.arange(0, dim, 2, dtype=torch.float64, device=device) * (-math.log(10000.0) / dim))
    angle_TI = position_T[:, None] * frequency_I[None, :]
    return torch.stack((angle_TI.sin(), angle_TI.cos()), dim=-1).flatten(1)[:, :dim].float()


class Positions(nn.Module):
    """Puts positions into token vectors, by addition or by concatenation.

    ``token_dim`` is the width that token vectors must have: D when positions are added; D − D/4 when they are
    concatenated, so that a quarter of the model's width carries the position.
    """

    def __init__(
        self, *, dim: int, kind: PositionName = "sinusoidal", combine: Combine = "add", max_length: int = 1024
    ) -> None:
        super().__init__()
        if kind == "none" and combine == "concatenate":
            raise ModelError('positions "none" cannot be concatenated: choose sinusoidal or learned, or combine: add')
        self.kind: PositionName = kind
        self.combine: Combine = combine
        self.position_dim = dim if combine == "add" else dim // 4
        self.token_dim = dim if combine == "add" else dim - dim // 4
        self.max_length = max_length if kind == "learned" else None
        self.table: nn.Embedding | None = None
        if kind == "learned":
            self.table = nn.Embedding(max_length, self.position_dim)
            nn.init.normal_(self.table.weight, std=dim**-0.5)
        self._known = torch.empty(0, self.position_dim)

    def forward(self, tokens_BTD: Tensor, *, start: int | Tensor = 0) -> Tensor:
        """The vectors of tokens at positions ``start``, ``start + 1``, … → (B, T, D).

        A tensor (B,) gives each row a start of its own, one of (B, T) each token its position.
        """
        if self.kind == "none":
            return tokens_BTD
        batch, length, _ = tokens_BTD.shape
        if isinstance(start, int):
            encoding = self.encoding(start, start + length, tokens_BTD.device)
        else:
            position_BT = start if start.ndim == 2 else start[:, None] + torch.arange(length, device=start.device)
            encoding = self.encoding(0, int(position_BT.max()) + 1, tokens_BTD.device)[position_BT]
        encoding = encoding.to(tokens_BTD.dtype)
        if self.combine == "add":
            return tokens_BTD + encoding
        return torch.cat((tokens_BTD, encoding.expand(batch, -1, -1)), dim=-1)

    def encoding(self, start: int, end: int, device: torch.device) -> Tensor:
        """The encodings of positions start … end − 1."""
        if self.table is not None:
            if end > self.table.num_embeddings:
                raise ModelError(f"{end} positions asked, but the learned positions end at {self.table.num_embeddings}")
            return self.table.weight[start:end]
        known = self._known  # held here, since several threads may decode with one model
        if known.shape[0] < end or known.device != device:
            known = self._known = sinusoids(0, max(2 * end, 256), self.position_dim, device=device)
        return known[start:end]
