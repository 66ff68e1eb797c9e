"""The Vision Transformer (Dosovitskiy et al. 2021): a picture is a sequence of patches for an encoder.

Shapes: B pictures, H × W pixels, h × w patches, T = 1 + h·w, E width, L labels.
"""

import torch
from torch import Tensor, nn

from saccade.layers import TransformerEncoder
from saccade.layers.blocks import BlockShape
from saccade.layers.patches import PictureEmbedding
from saccade.models.pictures import PictureModel
from saccade.models.registry import Vocabulary
from saccade.models.vit_options import EncoderOptions, VitOptions

INIT = 0.02  # standard deviation of fresh weights


class PictureEncoder(PictureModel):
    """Patches of something, class token and positions, encoder; the class token's last state is what labels see."""

    HEADS = ("labels",)

    def __init__(
        self, options: EncoderOptions, vocabulary: Vocabulary, *, channels: int, size: int, patch: int
    ) -> None:
        super().__init__()
        self.embedding = PictureEmbedding(
            channels=channels, size=size, patch=patch, dim=options.dim, dropout=options.dropout
        )
        shape = BlockShape(
            dim=options.dim,
            heads=options.heads,
            ff_dim=options.ff_dim or 4 * options.dim,
            dropout=options.dropout,
            attention_dropout=options.attention_dropout,
            norm="pre",
            activation="gelu",
            eps=options.eps,
        )
        self.encoder = TransformerEncoder(shape, layers=options.layers)
        self.labels = nn.Linear(options.dim, vocabulary.labels) if vocabulary.labels else None
        self.channels = options.dim
        for name, parameter in self.named_parameters():
            if parameter.ndim > 1:
                nn.init.normal_(parameter, std=INIT)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def seen(self, pictures_B3HW: Tensor) -> Tensor:
        """What the patches are cut from: the picture itself."""
        return pictures_B3HW

    def states(self, pictures_B3HW: Tensor) -> list[Tensor]:
        """What goes into the first layer and what comes out of each, (B, T, E), before the last norm."""
        embedded_BTE = self.embedding(self.seen(pictures_B3HW))
        return [embedded_BTE, *self.encoder.states(embedded_BTE, _all_real(embedded_BTE))]

    def grid(self, pictures_B3HW: Tensor) -> Tensor:
        seen_BCHW = self.seen(pictures_B3HW)
        height, width = (side // self.embedding.patches.patch for side in seen_BCHW.shape[2:])
        return self._read(seen_BCHW)[:, 1:].reshape(-1, height, width, self.channels)

    def scores(self, pictures_B3HW: Tensor) -> Tensor:
        head = self.head(self.labels)
        scores_BL: Tensor = head(self._read(self.seen(pictures_B3HW))[:, 0])
        return scores_BL

    def _read(self, seen_BCHW: Tensor) -> Tensor:
        """(B, T, E)."""
        embedded_BTE = self.embedding(seen_BCHW)
        states_BTE: Tensor = self.encoder(embedded_BTE, _all_real(embedded_BTE)).states_BSE
        return states_BTE


class Vit(PictureEncoder):
    """Patches of the picture itself."""

    def __init__(self, options: VitOptions, vocabulary: Vocabulary) -> None:
        super().__init__(options, vocabulary, channels=3, size=options.size, patch=options.patch)


def _all_real(x_BTE: Tensor) -> Tensor:
    """Pictures have no padding."""
    return torch.ones(x_BTE.shape[:2], dtype=torch.bool, device=x_BTE.device)
