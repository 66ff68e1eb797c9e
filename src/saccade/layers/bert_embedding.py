"""What BERT reads: tokens, where they stand, and which of the two texts they belong to (Devlin et al. 2019).

Shapes: B texts, T tokens, E width of the model.
"""

from torch import Tensor, nn

from saccade.attention import Positions
from saccade.layers.dropout import Dropout

SEGMENTS = 2


class BertEmbedding(nn.Module):
    """x_t = norm(E[token_t] + P[t] + S[segment_t]), then dropout; (B, T) and (B, T) → (B, T, E)."""

    def __init__(self, *, vocab_size: int, dim: int, max_length: int, dropout: float, eps: float) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, dim)
        self.segments = nn.Embedding(SEGMENTS, dim)
        self.positions = Positions(dim=dim, kind="learned", max_length=max_length)
        self.norm = nn.LayerNorm(dim, eps=eps)
        self.dropout = Dropout(dropout)

    def forward(self, tokens_BT: Tensor, segments_BT: Tensor, positions_BT: Tensor | None = None) -> Tensor:
        """Without ``positions_BT`` tokens stand one behind the other."""
        embedded: Tensor = self.tokens(tokens_BT) + self.segments(segments_BT)
        start = 0 if positions_BT is None else positions_BT
        read: Tensor = self.dropout(self.norm(self.positions(embedded, start=start)))
        return read
