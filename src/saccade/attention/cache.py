"""What a decoder remembers, so that a step costs one token and not the whole prefix.

The W rows (beams) of a sentence share one memory: what row w wrote at step t lies in slot t·W + w for good. When a row
goes on from another one, only its ``Ancestry`` changes, the table of the slots that make up its prefix; keys and values
are never copied. Shapes: B sentences, N = B·W rows, H heads, T steps, X = T·W slots, K keys, D width of a head.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.attention.attend import Listener
from saccade.attention.masks import Mask
from saccade.errors import ModelError


@dataclass(frozen=True)
class KeysValues:
    """Projected keys and values, (B, H, K, D) each; those of the source are computed once for a sentence."""

    keys: Tensor
    values: Tensor

    def keep(self, rows: Tensor) -> "KeysValues":
        return KeysValues(self.keys.index_select(0, rows), self.values.index_select(0, rows))


class GrowingCache:
    """One layer's keys and values of all tokens written so far, in buffers that double when they are full."""

    def __init__(self, ancestry: "Ancestry") -> None:
        self.ancestry = ancestry
        self.length = 0
        self._keys: Tensor | None = None
        self._values: Tensor | None = None

    def append(self, keys_NHTD: Tensor, values_NHTD: Tensor) -> KeysValues:
        """Adds what each row reads now and returns all slots, (B, H, X, D)."""
        keys_BHXD, values_BHXD = self._slots(keys_NHTD), self._slots(values_NHTD)
        end = self.length + keys_BHXD.shape[2]
        self._keys = self._written(self._keys, keys_BHXD, end)
        self._values = self._written(self._values, values_BHXD, end)
        self.length = end
        return KeysValues(self._keys[:, :, :end], self._values[:, :, :end])

    def keep(self, sentences_B: Tensor) -> None:
        """Only these sentences go on."""
        if self._keys is not None and self._values is not None:
            self._keys = self._keys[:, :, : self.length].index_select(0, sentences_B)
            self._values = self._values[:, :, : self.length].index_select(0, sentences_B)

    def _slots(self, new_NHTD: Tensor) -> Tensor:
        """(N, H, T, D) → (B, H, T·W, D)."""
        return new_NHTD.unflatten(0, (self.ancestry.sentences, -1)).permute(0, 2, 3, 1, 4).flatten(2, 3)

    def _written(self, buffer: Tensor | None, new: Tensor, end: int) -> Tensor:
        if buffer is None or end > buffer.shape[2]:
            rows, heads, slots, dim = new.shape
            larger = new.new_empty(rows, heads, max(16 * slots, 2 * end), dim)
            if buffer is not None:
                larger[:, :, : self.length] = buffer[:, :, : self.length]
            buffer = larger
        with torch.no_grad():
            buffer[:, :, self.length : end] = new
        return buffer


class Ancestry:
    """Which slots make up the prefix of each row; one for all layers of a decoder. A row alone needs no table."""

    def __init__(self, sentences: int) -> None:
        self.sentences = sentences
        self.steps = 0
        self.beams = 1
        self._own_BWX: Tensor | None = None

    def grow(self, rows: int, device: torch.device) -> None:
        """Every row writes one more token, which is its own."""
        if not self.steps:
            if rows % self.sentences:
                raise ModelError(f"{rows} rows do not divide among {self.sentences} sentences")
            self.beams = rows // self.sentences
        if self.beams > 1:
            newest_BWW = torch.eye(self.beams, dtype=torch.bool, device=device).expand(self.sentences, -1, -1)
            self._own_BWX = newest_BWW if self._own_BWX is None else torch.cat((self._own_BWX, newest_BWW), dim=2)
        self.steps += 1

    def reorder(self, rows_N: Tensor) -> None:
        """Row n goes on from row ``rows_N[n]`` of the same sentence."""
        if self._own_BWX is not None:
            self._own_BWX = self._own_BWX.flatten(0, 1).index_select(0, rows_N).unflatten(0, (-1, self.beams))

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        """Only these sentences go on, with these rows."""
        self.sentences = len(sentences_B)
        self.reorder(rows_N)

    def mask(self, window: int | None) -> Mask:
        """What the newest token of each row may look at: its own prefix, or the end of it within the window."""
        own_BWX = self._own_BWX
        if own_BWX is None:
            return Mask(window=window)
        if window is None:
            return Mask(pairs_BQK=own_BWX)
        far = max(0, self.steps - 1 - window) * self.beams
        near_X = torch.arange(own_BWX.shape[2], device=own_BWX.device) >= far
        return Mask(pairs_BQK=own_BWX & near_X)

    def listener(self, inner: Listener) -> Listener:
        """Somebody who thinks in positions of the prefix, listening to weights over slots."""
        return inner if self._own_BWX is None else _ByPosition(inner, self._own_BWX)


class _ByPosition:
    def __init__(self, inner: Listener, own_BWX: Tensor) -> None:
        self._inner = inner
        self._own_N11TW = own_BWX.flatten(0, 1).unflatten(-1, (-1, own_BWX.shape[1]))[:, None, None]

    def see(self, weights_NHQX: Tensor) -> Tensor | None:
        """At each step one slot is the row's own; the others have no weight, so their sum is its weight."""
        changed_NHQT = self._inner.see(weights_NHQX.unflatten(-1, self._own_N11TW.shape[-2:]).sum(-1))
        return None if changed_NHQT is None else (changed_NHQT[..., None] * self._own_N11TW).flatten(-2)
