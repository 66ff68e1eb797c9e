"""What one call of attention works on, for those who want to follow its arithmetic with real numbers.

Shapes: N query rows, B memory rows (N a multiple of B), H heads, Q queries, K keys, D width of a head, V of a value.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.attention.scores import Dot, Score


@dataclass(frozen=True)
class OneQuery:
    """One query of one head in every row: numbers on the CPU, in float32, that nobody changes any more.

    ``raw_NK`` are the scores before scaling: qᵀk, or ``combine_D``ᵀ tanh(q + k) where the score is additive and has no
    ``scale``.
    """

    q_ND: Tensor
    k_NKD: Tensor
    v_NKV: Tensor
    allowed_NK: Tensor
    raw_NK: Tensor
    scale: float | None
    combine_D: Tensor | None


@dataclass(frozen=True)
class Operands:
    """Queries, keys and values as they go into the one function; ``allowed_N1QK`` None: every query looks everywhere.

    Row n of the queries looks at row n // (N / B) of keys and values.
    """

    query_NHQD: Tensor
    key_BHKD: Tensor
    value_BHKV: Tensor
    allowed_N1QK: Tensor | None
    score: Score

    @property
    def queries(self) -> int:
        return self.query_NHQD.shape[2]

    def of(self, head: int, query: int) -> OneQuery:
        """Copies what belongs to this head and this query."""
        rows, keys = len(self.query_NHQD), self.key_BHKD.shape[2]
        each = rows // len(self.key_BHKD)
        q_ND = _copy(self.query_NHQD[:, head, query])
        k_NKD, v_NKV = (_copy(one[:, head].repeat_interleave(each, dim=0)) for one in (self.key_BHKD, self.value_BHKV))
        allowed_NK = torch.ones(rows, keys, dtype=torch.bool)
        if self.allowed_N1QK is not None:
            allowed_NK = self.allowed_N1QK[:, 0, query].detach().to("cpu", copy=True)
        if isinstance(self.score, Dot):
            raw_NK = (k_NKD @ q_ND[:, :, None])[..., 0]
            return OneQuery(q_ND, k_NKD, v_NKV, allowed_NK, raw_NK, self.score.scale(q_ND.shape[1]), None)
        combine_D = _copy(self.score.v_HD[head])
        raw_NK = torch.tanh(q_ND[:, None] + k_NKD) @ combine_D
        return OneQuery(q_ND, k_NKD, v_NKV, allowed_NK, raw_NK, None, combine_D)


def _copy(tensor: Tensor) -> Tensor:
    return tensor.detach().to("cpu", torch.float32, copy=True)
