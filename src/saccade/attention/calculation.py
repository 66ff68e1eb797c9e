"""One query of one head worked out by hand, with the numbers of a real forward pass.

    raw_k = score(q, k)    scaled_k = scale · raw_k    softmax over the allowed keys    context = Σ_k weight_k · v_k

Shapes: K keys, D width of a head, V of a value.
"""

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from saccade.attention.attend import softmax_where
from saccade.attention.operands import OneQuery
from saccade.attention.seen import Attended


@dataclass(frozen=True)
class Calculation:
    """Every step from query and keys to the context, for one query of one head of one layer.

    ``score`` says how q and k are compared: ``dot``, with its ``scale``, or ``additive``, with the vector ``combine_D``
    in combineᵀ tanh(q + k). ``softmax_K`` is what the model computed; ``weights_K`` is what was used, which is another
    where weights were edited, or where the model chose one key (hard attention).
    """

    layer: str
    head: int
    query: int
    query_token: str
    keys: tuple[str, ...]
    score: Literal["dot", "additive"]
    scale: float | None
    combine_D: Tensor | None
    q_D: Tensor
    k_KD: Tensor
    raw_K: Tensor
    scaled_K: Tensor
    allowed_K: Tensor
    softmax_K: Tensor
    weights_K: Tensor
    v_KV: Tensor
    weighted_KV: Tensor
    context_V: Tensor


def calculation(one: OneQuery, row: int, attended: Attended, *, head: int, query: int) -> Calculation:
    """``row`` is where the sentence stood in the call that ``one`` is of; padding behind its keys is left out."""
    keys = min(len(attended.keys), one.k_NKD.shape[1])
    raw_K, allowed_K, v_KV = one.raw_NK[row, :keys], one.allowed_NK[row, :keys], one.v_NKV[row, :keys]
    scaled_K = raw_K if one.scale is None else raw_K * one.scale
    weights_K = attended.weights_HQK[head, query, :keys]
    weighted_KV = weights_K[:, None] * v_KV
    return Calculation(
        layer=attended.layer,
        head=head,
        query=query,
        query_token=attended.queries[query],
        keys=attended.keys[:keys],
        score="dot" if one.combine_D is None else "additive",
        scale=one.scale,
        combine_D=one.combine_D,
        q_D=one.q_ND[row],
        k_KD=one.k_NKD[row, :keys],
        raw_K=raw_K,
        scaled_K=scaled_K,
        allowed_K=allowed_K,
        softmax_K=softmax_where(scaled_K, allowed_K),
        weights_K=weights_K,
        v_KV=v_KV,
        weighted_KV=weighted_KV,
        context_V=weighted_KV.sum(dim=0),
    )
