"""Edits: other weights in place of those that a model computed.

Shapes: N rows of one call, H heads, Q queries, K keys.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.errors import ModelError


@dataclass(frozen=True)
class Edit:
    """Replaces weights of ``layer`` by a value, or changes its ``temperature`` τ: w'_k ∝ w_k^(1/τ), as of scores / τ.

    Of one head or all, of one query or all; a value also of one key or all. Above 1 a temperature spreads attention,
    below 1 it sharpens it; a row that it changes still sums to one.
    """

    layer: str
    weights: float | None = None
    temperature: float | None = None
    head: int | None = None
    query: int | None = None
    key: int | None = None

    def __post_init__(self) -> None:
        if (self.weights is None) == (self.temperature is None):
            raise ModelError(f"an edit of {self.layer} gives either weights or a temperature, one of them")
        if self.temperature is not None and not 0 < self.temperature < math.inf:
            raise ModelError(f"a temperature is a number above 0, got {self.temperature}")
        if self.temperature is not None and self.key is not None:
            raise ModelError("a temperature is one of whole rows: leave key out")
        for axis, position in (("query", self.query), ("key", self.key)):
            if position is not None and position < 0:
                raise ModelError(f"{axis} {position}: positions count from 0, from the first token on")


def edited(weights_NHQK: Tensor, edits: Sequence[Edit], *, first: int) -> Tensor:
    """New weights, by one edit after the other; the call's first query stands at position ``first`` of its text."""
    changed = weights_NHQK.clone()
    queries = range(first, first + changed.shape[2])
    for edit in edits:
        if edit.query is not None and edit.query not in queries:
            continue
        if edit.key is not None and edit.key >= changed.shape[3]:
            continue
        head = slice(None) if edit.head is None else slice(edit.head, edit.head + 1)
        query = slice(None) if edit.query is None else slice(edit.query - first, edit.query - first + 1)
        key = slice(None) if edit.key is None else edit.key
        if edit.temperature is not None:
            changed[:, head, query] = _at_temperature(changed[:, head, query], edit.temperature)
        elif edit.weights is not None:
            changed[:, head, query, key] = edit.weights
    return changed


def _at_temperature(weights: Tensor, temperature: float) -> Tensor:
    """What has no weight gets none; a row without any stays so."""
    return torch.softmax(weights.log() / temperature, dim=-1).nan_to_num(nan=0.0)
