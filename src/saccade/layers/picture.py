"""What a captioner reads: the places of a picture, given as features or found in the pixels.

Shapes: B pictures, S × S pixels, h × w cells, G places of the grid, C width of their vectors, E width of the model.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from saccade.errors import ModelError
from saccade.layers.dropout import Dropout
from saccade.layers.memory import Encoded, Encoder

GROUPS = 8
HIDDEN = 4  # times as wide is the hidden layer of an MLP
WAVES = 0.5  # height of what positions begin as, beside places of height 1


class PlaceEmbedding(nn.Module):
    """x_g = norm(W a_g) + P[g], then dropout: (B, G, C) → (B, G, E).

    P is learned, and begins as waves along the rows and the columns: neighbours are alike, and what is left of what can
    be told from the first step on.
    """

    def __init__(self, *, channels: int, dim: int, places: int, dropout: float) -> None:
        super().__init__()
        self.project = nn.Linear(channels, dim)
        self.norm = nn.LayerNorm(dim)
        self.positions = nn.Parameter(waves(math.isqrt(places), dim))
        self.dropout = Dropout(dropout)

    def forward(self, grid_BGC: Tensor) -> Tensor:
        placed_BGE: Tensor = self.dropout(self.norm(self.project(grid_BGC)) + self.positions)
        return placed_BGE


def waves(side: int, dim: int) -> Tensor:
    """(G, E): sine and cosine of the row in one half, of the column in the other, from half a wave to ``side``/2."""
    place_S = (torch.arange(side) + 0.5) / side
    # The device by name: transformers, where it was loaded first, hides linspace from torch's device contexts.
    lengths_F = 0.5 * side ** torch.linspace(0, 1, -(-dim // 4), device=place_S.device)
    angle_SF = 2 * math.pi * place_S[:, None] * lengths_F
    along_SH = torch.cat((angle_SF.sin(), angle_SF.cos()), dim=1)
    rows, columns = along_SH.repeat_interleave(side, dim=0), along_SH.repeat(side, 1)
    return WAVES * torch.cat((rows, columns), dim=1)[:, :dim]


class PixelGrid(nn.Module):
    """A small residual CNN that is trained along: (B, 3, S, S) → (B, G, C), row after row of the picture.

    Patches of pixels first, then one block for each stage, each but the first with half the sides and twice the
    channels. Its norms are over groups of channels of one picture, so a picture is read alone as in any batch.

    The last convolution looks no further around: with patches of 2 pixels and three stages a place sees 30 × 30
    pixels. A place that saw the whole picture would be as good to look at as any other: attention would show nothing.
    """

    def __init__(self, *, width: int, stages: int, patch: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, stride=patch)
        widths = [width * 2**stage for stage in range(stages)]
        self.blocks = nn.ModuleList(
            PixelBlock(before, after, stride=1 if stage == 0 else 2, kernel=1 if stage == stages - 1 else 3)
            for stage, (before, after) in enumerate(zip([width, *widths], widths, strict=False))
        )
        self.norm = nn.GroupNorm(GROUPS, widths[-1])
        self.channels = widths[-1]
        self.shrinks: int = patch * 2 ** (stages - 1)

    def side(self, size: int) -> int:
        """How many places lie side by side on a picture of ``size`` pixels."""
        if size % self.shrinks:
            raise ModelError(
                f"pictures of {size} pixels cannot be made {self.shrinks} times smaller: give data.pixels as a "
                f"multiple of {self.shrinks}"
            )
        return size // self.shrinks

    def forward(self, pictures_B3SS: Tensor) -> Tensor:
        # Channels last: an eighth off the time of this CNN in training.
        x_BChw = self.patches(pictures_B3SS.contiguous(memory_format=torch.channels_last))
        for block in self.blocks:
            x_BChw = block(x_BChw)
        cells_BChw: Tensor = gelu(self.norm(x_BChw))
        return cells_BChw.flatten(2).transpose(1, 2)


class PixelBlock(nn.Module):
    """x' = shortcut(x) + conv(gelu(norm(conv(gelu(norm(x)))))), the second with a ``kernel`` of its own."""

    def __init__(self, before: int, after: int, *, stride: int, kernel: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.GroupNorm(GROUPS, before), nn.GroupNorm(GROUPS, after)])
        self.convolutions = nn.ModuleList(
            [
                nn.Conv2d(before, after, 3, stride=stride, padding=1, bias=False),
                nn.Conv2d(after, after, kernel, padding=kernel // 2, bias=False),
            ]
        )
        changed = stride > 1 or before != after
        self.shortcut = nn.Conv2d(before, after, stride, stride=stride, bias=False) if changed else nn.Identity()

    def forward(self, x_BChw: Tensor) -> Tensor:
        added_BChw = x_BChw
        for norm, convolution in zip(self.norms, self.convolutions, strict=True):
            added_BChw = convolution(gelu(norm(added_BChw)))
        found_BChw: Tensor = self.shortcut(x_BChw) + added_BChw
        return found_BChw


class PlaceEncoder(Encoder):
    """The places as they are; what is remembered in the end is tanh(W · mean_g x_g + b)."""

    def __init__(self, *, dim: int) -> None:
        super().__init__()
        self.mean = nn.Linear(dim, dim)

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        final_BE = torch.tanh(self.mean(x_BSE.mean(dim=1)))
        return Encoded(x_BSE, real_BS, final_BE=final_BE)


class WholeEncoder(Encoder):
    """One vector for the whole picture, by an MLP: norm(V · mean_g gelu(W x_g)).

    In the mean of x_g = a_g + P[g] all positions are one constant: what is where would be lost. So each place goes
    through the nonlinearity first. What one place in 64 adds to the mean is small, hence the norm.
    """

    def __init__(self, *, dim: int) -> None:
        super().__init__()
        self.places = nn.Linear(dim, HIDDEN * dim)
        self.whole = nn.Linear(HIDDEN * dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        return Encoded(x_BSE, real_BS, final_BE=self.norm(self.whole(gelu(self.places(x_BSE)).mean(dim=1))))
