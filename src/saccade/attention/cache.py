"""What a decoder remembers, so that a step costs one token and not the whole prefix.

Shapes: N rows (sentences × beams), H heads, T tokens so far, K keys, D width of a head.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class KeysValues:
    """Projected keys and values, (B, H, K, D) each; those of the source are computed once for a sentence."""

    keys: Tensor
    values: Tensor

    def keep(self, rows: Tensor) -> "KeysValues":
        return KeysValues(self.keys.index_select(0, rows), self.values.index_select(0, rows))


class GrowingCache:
    """Keys and values of the tokens written so far, in buffers that double when they are full."""

    def __init__(self) -> None:
        self._keys: Tensor | None = None
        self._values: Tensor | None = None
        self.length = 0

    def append(self, keys_NHTD: Tensor, values_NHTD: Tensor) -> KeysValues:
        """Adds T new positions and returns all of them."""
        end = self.length + keys_NHTD.shape[2]
        self._keys = self._written(self._keys, keys_NHTD, end)
        self._values = self._written(self._values, values_NHTD, end)
        self.length = end
        return KeysValues(self._keys[:, :, :end], self._values[:, :, :end])

    def reorder(self, rows_N: Tensor) -> None:
        """Row n goes on with what row ``rows_N[n]`` remembered; rows may repeat or vanish."""
        if self._keys is not None and self._values is not None:
            self._keys = self._keys.index_select(0, rows_N)
            self._values = self._values.index_select(0, rows_N)

    def _written(self, buffer: Tensor | None, new: Tensor, end: int) -> Tensor:
        if buffer is None or end > buffer.shape[2]:
            rows, heads, _, dim = new.shape
            larger = new.new_empty(rows, heads, max(16, 2 * end), dim)
            if buffer is not None:
                larger[:, :, : self.length] = buffer[:, :, : self.length]
            buffer = larger
        with torch.no_grad():
            buffer[:, :, self.length : end] = new
        return buffer
