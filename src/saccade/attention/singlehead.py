"""Attention with one head over states as they are: how recurrent and convolutional decoders look at the source.

    context = Σ_k softmax_k(score(W_Q q, W_K m_k)) · v_k

With the additive score it is the alignment model of Bahdanau et al. (2015), with the dot product that of Luong et al.
(2015). The values are the remembered states themselves, or others given beside them.

Shapes: N query rows, B memory rows, Q queries, K keys, X width of the queries, M of the memory, V of the values.
"""

from torch import Tensor, nn

from saccade.attention.attend import attend
from saccade.attention.cache import KeysValues
from saccade.attention.layer import AttentionLayer
from saccade.attention.masks import EVERYWHERE, Mask
from saccade.attention.scores import ScoreName, make_score


class SingleHead(AttentionLayer):
    """One attention in a space of width ``dim``; without ``memory_dim`` the keys are the memory itself."""

    def __init__(self, *, query_dim: int, memory_dim: int | None, dim: int, score: ScoreName) -> None:
        super().__init__(heads=1)
        self.query = nn.Linear(query_dim, dim)
        self.key = nn.Identity() if memory_dim is None else nn.Linear(memory_dim, dim, bias=False)
        self.score = make_score(score, heads=1, dim=dim)

    def keys_values(self, memory_BKM: Tensor, values_BKV: Tensor | None = None) -> KeysValues:
        """Computed once for a source: keys (B, 1, K, dim), values (B, 1, K, V)."""
        values_BKV = memory_BKM if values_BKV is None else values_BKV
        return KeysValues(self.key(memory_BKM)[:, None], values_BKV[:, None])

    def forward(self, query_NQX: Tensor, memory: KeysValues, *, mask: Mask = EVERYWHERE) -> Tensor:
        """The context of each query, (N, Q, V)."""
        return self.look(self.query(query_NQX), memory, mask=mask)

    def look(self, query_NQD: Tensor, memory: KeysValues, *, mask: Mask = EVERYWHERE) -> Tensor:
        """The same for queries that are projected already."""
        context_N1QV = attend(
            query_NQD[:, None], memory.keys, memory.values, score=self.score, mask=mask, listener=self.heard
        )
        return context_N1QV[:, 0]
