"""Pictures as sequences: patches, a class token and learned positions (Dosovitskiy et al. 2021).

Shapes: B pictures, C channels, H × W pixels (or cells of a CNN), h × w patches, T = 1 + h·w, E width of the model.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate

from saccade.errors import ModelError
from saccade.layers.dropout import Dropout


class Patches(nn.Module):
    """x_p = W · patch_p + b, a convolution whose stride is its size: (B, C, H, W) → (B, h, w, E)."""

    def __init__(self, *, channels: int, patch: int, dim: int) -> None:
        super().__init__()
        self.patch = patch
        self.projection = nn.Conv2d(channels, dim, kernel_size=patch, stride=patch)

    def forward(self, pictures_BCHW: Tensor) -> Tensor:
        height, width = pictures_BCHW.shape[2:]
        if height % self.patch or width % self.patch or not height * width:
            raise ModelError(
                f"{height}×{width} pixels cannot be cut into patches of {self.patch}×{self.patch}: "
                f"give pictures whose sides are multiples of {self.patch}"
            )
        patches_BEhw: Tensor = self.projection(pictures_BCHW)
        return patches_BEhw.permute(0, 2, 3, 1)


class GridPositions(nn.Module):
    """One learned vector for the class token and one for each of side × side patches; (1, T, E)."""

    def __init__(self, *, side: int, dim: int) -> None:
        super().__init__()
        self.side = side
        self.table = nn.Parameter(torch.empty(1, 1 + side * side, dim))
        nn.init.normal_(self.table, std=dim**-0.5)

    def forward(self, height: int, width: int) -> Tensor:
        """For a grid of another size the vectors in between are interpolated (bicubic); the class token's stays."""
        if (height, width) == (self.side, self.side):
            return self.table
        class_11E, grid_1NE = self.table[:, :1], self.table[:, 1:]
        grid_1Ess = grid_1NE.reshape(1, self.side, self.side, -1).permute(0, 3, 1, 2)
        other_1Ehw = interpolate(grid_1Ess, size=(height, width), mode="bicubic", align_corners=False)
        return torch.cat((class_11E, other_1Ehw.flatten(2).transpose(1, 2)), dim=1)


class PictureEmbedding(nn.Module):
    """[class; x_1; …; x_hw] + positions, then dropout: (B, C, H, W) → (B, T, E), row after row of the picture."""

    def __init__(self, *, channels: int, size: int, patch: int, dim: int, dropout: float) -> None:
        super().__init__()
        self.patches = Patches(channels=channels, patch=patch, dim=dim)
        self.class_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.positions = GridPositions(side=size // patch, dim=dim)
        self.dropout = Dropout(dropout)

    def forward(self, pictures_BCHW: Tensor) -> Tensor:
        patches_BhwE = self.patches(pictures_BCHW)
        batch, height, width, _ = patches_BhwE.shape
        tokens_BTE = torch.cat((self.class_token.expand(batch, -1, -1), patches_BhwE.flatten(1, 2)), dim=1)
        embedded: Tensor = self.dropout(tokens_BTE + self.positions(height, width))
        return embedded
