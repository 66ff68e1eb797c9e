"""Which of a model's layers to read, and how several become one.

Shapes: B texts, T tokens, E width of the model, D = E, or E times the layers when these are concatenated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from saccade.errors import ModelError

Combine = Literal["sum", "mean", "concatenate"]


@dataclass(frozen=True)
class LayerChoice:
    """Which states to take: 0 is what goes into the first layer, n what comes out of layer n; from the end as in lists.

    Several are put together: summed, averaged, or one after the other. No number means all.
    """

    layers: tuple[int, ...] = (-1,)
    combine: Combine = "sum"

    @classmethod
    def parse(cls, text: str, combine: Combine = "sum") -> "LayerChoice":
        """``last``, ``last4``, ``all``, or numbers with commas: ``-1,-2`` or ``0,6,12``."""
        if text == "last":
            return cls((-1,), combine)
        if text.startswith("last") and text[4:].isdecimal() and int(text[4:]):
            return cls(tuple(range(-int(text[4:]), 0)), combine)
        try:
            return cls(() if text == "all" else tuple(int(part) for part in text.split(",")), combine)
        except ValueError as error:
            raise ModelError(f"layers {text!r}: expected last, last4, all, or numbers such as -1,-2") from error

    def of(self, states: Sequence[Tensor]) -> Tensor:
        """From the states of all layers, (B, T, E) each, to (B, T, D)."""
        self.check(len(states))
        taken = [states[layer] for layer in self.layers] or list(states)
        if self.combine == "concatenate":
            return torch.cat(taken, dim=-1)
        summed = torch.stack(taken).sum(dim=0)
        return summed / len(taken) if self.combine == "mean" else summed

    def width(self, dim: int, states: int) -> int:
        """D, for a model of width ``dim`` with so many states."""
        self.check(states)
        return dim * (len(self.layers) or states) if self.combine == "concatenate" else dim

    def check(self, states: int) -> None:
        for layer in self.layers:
            if not -states <= layer < states:
                raise ModelError(f"layer {layer}: this model has 0 (its embeddings) to {states - 1}")
