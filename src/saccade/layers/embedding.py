"""Token embeddings with their positions."""

import math

from torch import Tensor, nn

from saccade.attention import Positions
from saccade.layers.dropout import Dropout


class TokenEmbedding(nn.Module):
    """x_t = √D · E[token_t], combined with position t, then dropout; (B, T) → (B, T, D).

    The embedding starts with standard deviation D^−½, so that √D · E has unit variance and the same matrix, used again
    as output projection, gives logits of unit variance. With ``scaled`` False, as in GPT-2, x_t = E[token_t].
    """

    def __init__(self, *, vocab_size: int, dim: int, positions: Positions, dropout: float, scaled: bool = True) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, positions.token_dim)
        nn.init.normal_(self.tokens.weight, std=dim**-0.5)
        self.positions = positions
        self.dropout = Dropout(dropout)
        self.scale = math.sqrt(dim) if scaled else 1.0

    def forward(self, tokens_BT: Tensor, *, start: int | Tensor = 0) -> Tensor:
        vectors_BTD: Tensor = self.tokens(tokens_BT)
        if self.scale != 1.0:
            vectors_BTD = vectors_BTD * self.scale
        embedded: Tensor = self.dropout(self.positions(vectors_BTD, start=start))
        return embedded
