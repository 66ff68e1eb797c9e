"""The one attention function. Every model in Saccade attends through ``attend``.

    weights = softmax(score(query, key) where the mask allows)        context = weights · value

Two paths with equal results: *fused* (torch's kernel, which never holds the Q×K table) when nobody listens, and
*explicit* when somebody does or when the score has no fused kernel. Shapes: B batch, N query rows (a multiple of B),
H heads, Q queries, K keys, D width of a head.
"""

from abc import ABC, abstractmethod
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import dropout as drop
from torch.nn.functional import scaled_dot_product_attention

from saccade.attention.local import attend_window
from saccade.attention.masks import EVERYWHERE, Mask
from saccade.attention.operands import Operands
from saccade.attention.scores import Dot, Score
from saccade.errors import ModelError

SCALED_DOT = Dot(scaled=True)

# Queries for which the products are written out on a CPU. Measured on one thread with 130 sentences of 5 rows, 4 heads
# of 32 and 30 keys stored by column: 0.54 ms against 2.39 ms of torch's fused kernel.
FEW = 8

# Keys up to which they are written out on a CPU in training with bfloat16. Measured on one thread, forward and
# backward, 128 rows of 3 heads of 64 and 65 keys: 34 ms against 128 ms of torch's fused kernel (float32: 51 and 53).
MANY = 1024


class Listener(Protocol):
    """Somebody who looks at the weights of one layer, and may change them."""

    def see(self, weights_NHQK: Tensor) -> Tensor | None:
        """Takes what was computed; returns other weights to be used instead, or None to leave them."""


class CloseListener(ABC):
    """A listener who, while ``close``, is also shown what weights are made of, before it sees them."""

    @property
    @abstractmethod
    def close(self) -> bool: ...

    @abstractmethod
    def take(self, operands: Operands) -> None: ...

    @abstractmethod
    def see(self, weights_NHQK: Tensor) -> Tensor | None: ...


def attend(
    query_NHQD: Tensor,
    key_BHKD: Tensor,
    value_BHKD: Tensor,
    *,
    score: Score = SCALED_DOT,
    mask: Mask = EVERYWHERE,
    dropout: float = 0.0,
    listener: Listener | None = None,
) -> Tensor:
    """The context of each query, (N, H, Q, D).

    There may be G·B rows of queries to B rows of keys (the G beams of a sentence share its source): row n of the
    queries looks at row n // G of the keys, which are never copied. There may also be fewer heads of keys and values
    than of queries (multi-query attention): each then serves several query heads.
    """
    rows, heads, queries, dim = query_NHQD.shape
    batch, key_heads, keys, _ = key_BHKD.shape
    if rows % batch or heads % key_heads:
        raise ModelError(
            f"{rows} rows × {heads} heads of queries do not divide among {batch} rows × {key_heads} heads of keys"
        )
    groups = rows // batch
    if groups > 1 and queries > 1:
        raise ModelError(f"{groups} rows of queries share a row of keys: give one query a row, not {queries}")
    if groups > 1 and (mask.causal or mask.window is not None):
        raise ModelError("rows of queries that share keys have no order among them: neither causal nor window fits")
    query_BHQD = query_NHQD if groups == 1 else query_NHQD.view(batch, groups, heads, dim).transpose(1, 2)
    if key_heads < heads:
        key_BHKD, value_BHKD = (t.repeat_interleave(heads // key_heads, dim=1) for t in (key_BHKD, value_BHKD))

    scale = score.scale(dim) if isinstance(score, Dot) else None
    changed: Tensor | None = None
    if isinstance(listener, CloseListener) and listener.close:
        allowed = mask.allowed(query_BHQD.shape[2], keys, query_NHQD.device)
        if allowed is not None:
            allowed = _by_row(allowed.expand(batch, 1, query_BHQD.shape[2], keys), rows)
        listener.take(Operands(query_NHQD, key_BHKD, value_BHKD, allowed, score))
    if listener is not None or scale is None:
        weights_BHQK = attention_weights(query_BHQD, key_BHKD, score=score, mask=mask)
        changed = None if listener is None else listener.see(_by_row(weights_BHQK, rows))
        if changed is not None:
            weights_BHQK = changed if groups == 1 else changed.view(batch, groups, heads, keys).transpose(1, 2)
    if scale is not None and changed is None:
        # Also when somebody looked: being looked at must not change a bit of the output.
        context_BHQD = _fused(query_BHQD, key_BHKD, value_BHKD, scale=scale, mask=mask, dropout=dropout)
    else:
        context_BHQD = drop(weights_BHQK, dropout, training=dropout > 0) @ value_BHKD
    return _by_row(context_BHQD, rows)


def attention_weights(query_BHQD: Tensor, key_BHKD: Tensor, *, score: Score, mask: Mask) -> Tensor:
    """softmax over the keys that the mask allows, (B, H, Q, K); rows sum to one, or to zero where none is allowed."""
    return _softmax(score(query_BHQD, key_BHKD), mask)


def _softmax(scores_BHQK: Tensor, mask: Mask) -> Tensor:
    queries, keys = scores_BHQK.shape[2:]
    allowed = mask.allowed(queries, keys, scores_BHQK.device)
    return torch.softmax(scores_BHQK, dim=-1) if allowed is None else softmax_where(scores_BHQK, allowed)


def softmax_where(scores: Tensor, allowed: Tensor) -> Tensor:
    """softmax over the last axis where it is allowed; what is not has no weight."""
    lowest = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~allowed, lowest), dim=-1).masked_fill(~allowed, 0.0)


def _fused(query: Tensor, key: Tensor, value: Tensor, *, scale: float, mask: Mask, dropout: float) -> Tensor:
    queries, keys = query.shape[2], key.shape[2]
    if queries <= FEW and not torch.is_grad_enabled() and query.device.type == "cpu" and not dropout:
        return _few(query, key, value, scale=scale, mask=mask)
    if mask.window is None and keys <= MANY and torch.is_grad_enabled() and _rounds(query):
        return _written_out(query, key, value, scale=scale, mask=mask, dropout=dropout)
    if mask.window is not None and mask.pairs_BQK is None and queries == keys and 2 * mask.window + 1 < keys:
        return attend_window(query, key, value, scale=scale, mask=mask, dropout=dropout)
    if mask.only_causal and queries == keys:
        return scaled_dot_product_attention(query, key, value, dropout_p=dropout, is_causal=True, scale=scale)
    allowed = mask.allowed(queries, keys, query.device)
    return scaled_dot_product_attention(query, key, value, attn_mask=allowed, dropout_p=dropout, scale=scale)


def _rounds(query: Tensor) -> bool:
    """Whether it is computed in bfloat16 on a CPU."""
    return query.device.type == "cpu" and query.dtype == torch.bfloat16


def _written_out(query: Tensor, key: Tensor, value: Tensor, *, scale: float, mask: Mask, dropout: float) -> Tensor:
    """With the Q×K table, of which the softmax keeps all bits."""
    weights = _softmax((scale * query @ key.mT).float(), mask).to(value.dtype)
    return drop(weights, dropout, training=dropout > 0) @ value


def _few(query: Tensor, key: Tensor, value: Tensor, *, scale: float, mask: Mask) -> Tensor:
    """Few queries, as in decoding: two batched products, for which torch's fused kernel has no good path."""
    batch, heads, queries, _ = query.shape
    keys = key.shape[2]
    scores = torch.baddbmm(query.new_empty(()), query.flatten(0, 1), key.flatten(0, 1).mT, beta=0, alpha=scale)
    bias = mask.bias(queries, keys, scores)
    if bias is not None:
        scores.view(batch, heads, queries, keys).add_(bias.table)
    weights = torch.softmax(scores, dim=-1)
    if bias is not None and bias.blind:
        weights = weights.nan_to_num(nan=0.0)
    return torch.bmm(weights, value.flatten(0, 1)).view(batch, heads, queries, -1)


def _by_row(folded_BHQX: Tensor, rows: int) -> Tensor:
    """Undoes the folding of groups into the query axis: (B, H, G, X) → (B·G, H, 1, X)."""
    batch, heads, _, width = folded_BHQX.shape
    return folded_BHQX if batch == rows else folded_BHQX.transpose(1, 2).reshape(rows, heads, 1, width)
