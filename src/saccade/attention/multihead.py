"""Multi-head attention: several attentions side by side, each in its own projection of queries, keys and values.

    head_h = attend(x W_Q^h, m W_K^h, m W_V^h)        output = [head_1; …; head_H] W_O

Shapes: N query rows, B memory rows, Q queries, K keys, E width of the model, H heads, D = E / H.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.attention.attend import attend
from saccade.attention.cache import GrowingCache, KeysValues
from saccade.attention.layer import AttentionLayer
from saccade.attention.masks import EVERYWHERE, Mask
from saccade.attention.scores import ScoreName, make_score
from saccade.errors import ModelError


class MultiHead(AttentionLayer):
    """Self-attention when ``memory`` is left out, cross-attention otherwise.

    The three input projections lie in one matrix (W_Q, W_K, W_V one below the other), so that self-attention projects
    with a single multiplication.
    """

    def __init__(
        self, *, dim: int, heads: int, dropout: float = 0.0, score: ScoreName = "scaled-dot", bias: bool = True
    ) -> None:
        super().__init__(heads=heads)
        if dim % heads:
            raise ModelError(
                f"model.dim {dim} is not divisible by model.heads {heads}: each head takes an equal part of the width"
            )
        self.dim = dim
        self.dropout = dropout
        self.score = make_score(score, heads=heads, dim=dim // heads)
        self.in_weight = nn.Parameter(torch.empty(3 * dim, dim))
        self.in_bias = nn.Parameter(torch.zeros(3 * dim)) if bias else None
        self.out = nn.Linear(dim, dim, bias=bias)
        for part in self.in_weight.chunk(3):
            nn.init.xavier_uniform_(part)
        nn.init.xavier_uniform_(self.out.weight)
        if bias:
            nn.init.zeros_(self.out.bias)

    def forward(
        self,
        query_NQE: Tensor,
        memory: Tensor | KeysValues | None = None,
        *,
        mask: Mask = EVERYWHERE,
        cache: GrowingCache | None = None,
    ) -> Tensor:
        """``memory`` is (B, K, E), or what ``keys_values`` made of it; ``cache`` is for self-attention step by step."""
        listener = self.heard
        if memory is None:
            projected = self._split(self._project(query_NQE, slice(None)), parts=3)
            query, seen = projected[0], KeysValues(projected[1], projected[2])
            if cache is not None:
                seen = cache.append(seen.keys, seen.values)
                listener = None if listener is None else cache.ancestry.listener(listener)
        else:
            (query,) = self._split(self._project(query_NQE, slice(self.dim)), parts=1)
            seen = memory if isinstance(memory, KeysValues) else self.keys_values(memory)
        context_NHQD = attend(
            query,
            seen.keys,
            seen.values,
            score=self.score,
            mask=mask,
            dropout=self.dropout if self.training else 0.0,
            listener=listener,
        )
        output: Tensor = self.out(context_NHQD.transpose(1, 2).flatten(2))
        return output

    def keys_values(self, memory_BKE: Tensor) -> KeysValues:
        """The memory's keys and values, to be computed once and used at every step."""
        keys, values = self._split(self._project(memory_BKE, slice(self.dim, None)), parts=2)
        return KeysValues(keys, values)

    def _project(self, x: Tensor, rows: slice) -> Tensor:
        """With these rows of the one matrix."""
        return linear(x, self.in_weight[rows], None if self.in_bias is None else self.in_bias[rows])

    def _split(self, projected_NTX: Tensor, *, parts: int) -> tuple[Tensor, ...]:
        """(N, T, parts·E) → ``parts`` tensors (N, H, T, D), in such a way that backward puts them together once."""
        rows, length, _ = projected_NTX.shape
        return tuple(
            part_NTE.view(rows, length, self.heads, self.dim // self.heads).transpose(1, 2)
            for part_NTE in projected_NTX.chunk(parts, dim=-1)
        )
