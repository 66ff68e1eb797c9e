"""What a Transformer for pictures looked at when it said what a picture shows.

Shapes: H heads, T = 1 + h·w the class token and the patches, Y × X pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from saccade.attention.rollout import rollout
from saccade.data.images.reading import Pixels
from saccade.errors import DecodingError
from saccade.runs.run import Look
from saccade.view.captioned import CaptionedPicture, CaptionLook, WordLook
from saccade.view.display import translation_html

ROLLOUT = "rollout"


@dataclass(frozen=True, kw_only=True)
class PictureLook(Look):
    """A picture, the likeliest label, and the attention weights; patches are named by row and column, as in ``2,5``.

    ``source`` is the picture's name, ``pixels_YX3`` the square that the model saw, larger, to be drawn on; ``rows`` ×
    ``columns`` are its patches.
    """

    label: str
    probabilities: dict[str, float]
    pixels_YX3: Pixels = field(repr=False)
    rows: int
    columns: int

    def _repr_html_(self) -> str:
        return translation_html(self.source, self.said, None)

    def map(self, layer: str, head: int | None = None) -> NDArray[np.float64]:
        """(h, w): where the class token looks in one layer, by one head or in the mean of all."""
        weights_HTT = self[layer].weights_HQK
        if head is not None and not 0 <= head < len(weights_HTT):
            raise DecodingError(f"{layer} has heads 0 to {len(weights_HTT) - 1}, not {head}")
        return self._on_patches(weights_HTT.mean(dim=0) if head is None else weights_HTT[head])

    def rollout(self) -> NDArray[np.float64]:
        """(h, w): what reaches the class token from each patch through all layers."""
        return self._on_patches(rollout([one.weights_HQK for one in self.layers]))

    def through_layers(self) -> CaptionLook:
        """The rollout, then the mean over the heads of each layer."""
        means = (WordLook(one.layer, self.map(one.layer)) for one in self.layers)
        return CaptionLook(self.said, (WordLook(ROLLOUT, self.rollout()), *means), open=0)

    def heads(self, layer: str) -> CaptionLook:
        """Every head of one layer."""
        count = len(self[layer].weights_HQK)
        words = tuple(WordLook(f"head {head}", self.map(layer, head)) for head in range(count))
        return CaptionLook(layer, words, open=0)

    def drawn(self, heads_of: Sequence[str] | None = None) -> CaptionedPicture:
        """For a page: through all layers, and the heads of some layers, or of all."""
        layers = [one.layer for one in self.layers] if heads_of is None else heads_of
        looks = (self.through_layers(), *(self.heads(layer) for layer in layers))
        return CaptionedPicture(self.source, self.pixels_YX3, looks, note=self.said)

    @property
    def said(self) -> str:
        """``cat 93.1%``."""
        return f"{self.label} {self.probabilities[self.label]:.1%}"

    def _on_patches(self, weights_TT: Tensor) -> NDArray[np.float64]:
        """The class token's row without itself, as a grid whose numbers sum to one."""
        grid = weights_TT[0, 1:].double().numpy().reshape(self.rows, self.columns)
        shares: NDArray[np.float64] = grid / (grid.sum() or 1.0)
        return shares
