"""Masks: which query may look at which key. Boolean, **True = may attend**, here and everywhere.

A mask is kept as the facts it is made of, not as a Q×K table, so that the fused path stays linear in length;
``allowed`` writes the table out for those who need it. Only causal and padding together have no linear path: leave the
padding out where it follows the text, since a causal query never sees what comes after it.
"""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from saccade.errors import ModelError


@dataclass(frozen=True)
class Mask:
    """``keys_BK``: real (not padding) keys; ``causal``: no key after the query; ``window``: no key farther than this.

    ``pairs_BQK`` is a table for what the other three cannot say, such as beams that share one memory.

    When there are fewer queries than keys the queries are the last ones, as in decoding with a cache. A query that
    may look nowhere gets zero weights and a zero context.
    """

    keys_BK: Tensor | None = None
    causal: bool = False
    window: int | None = None
    pairs_BQK: Tensor | None = None
    _biases: dict[Any, "Bias | None"] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for given in (self.keys_BK, self.pairs_BQK):
            if given is not None and given.dtype != torch.bool:
                raise ModelError(f"a mask is boolean (True = may attend), got {given.dtype}")
        if self.window is not None and self.window < 1:
            raise ModelError(f"a window reaches at least 1 position to each side, got {self.window}")

    @property
    def only_causal(self) -> bool:
        return self.causal and self.keys_BK is None and self.window is None and self.pairs_BQK is None

    def bias(self, queries: int, keys: int, like: Tensor) -> "Bias | None":
        """What is added to scores; None where that is nothing. Computed once, however many layers ask for it."""
        asked = (queries, keys, like.dtype, like.device)
        if asked not in self._biases:
            allowed = self.allowed(queries, keys, like.device)
            self._biases[asked] = None if allowed is None else Bias.of(allowed, like.dtype)
        return self._biases[asked]

    def allowed(self, queries: int, keys: int, device: torch.device) -> Tensor | None:
        """The table, broadcastable to (B, 1, Q, K); None where every query may look everywhere."""
        table: Tensor | None = None
        if (self.causal and queries > 1) or self.window is not None:
            distance_QK = self._distance(queries, keys, device)
            if self.causal:
                table = distance_QK >= 0
            if self.window is not None:
                near = distance_QK.abs() <= self.window
                table = near if table is None else table & near
            table = None if table is None else table[None, None]
        if self.keys_BK is not None:
            real = self.keys_BK[:, None, None, :]
            table = real if table is None else table & real
        if self.pairs_BQK is not None:
            pairs = self.pairs_BQK[:, None]
            table = pairs if table is None else table & pairs
        return table

    @staticmethod
    def _distance(queries: int, keys: int, device: torch.device) -> Tensor:
        """How far each key lies before its query; negative for keys that come after it."""
        position_Q = torch.arange(keys - queries, keys, device=device)
        return position_Q[:, None] - torch.arange(keys, device=device)[None, :]


@dataclass(frozen=True)
class Bias:
    """``table``: 0 where a query may look and −∞ where it may not; ``blind``: some query may look nowhere at all."""

    table: Tensor
    blind: bool

    @classmethod
    def of(cls, allowed: Tensor, dtype: torch.dtype) -> "Bias":
        table = torch.where(allowed, 0.0, -torch.inf).to(dtype)
        return cls(table, blind=not bool(allowed.any(dim=-1).all()))


EVERYWHERE = Mask()
