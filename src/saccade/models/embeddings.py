"""The embeddings of a translator: one matrix for source, target and output, or several."""

from dataclasses import dataclass
from typing import Literal

from torch import nn

from saccade.attention import Combine, PositionName, Positions
from saccade.errors import ModelError
from saccade.layers import TokenEmbedding
from saccade.models.registry import Vocabulary

Sharing = Literal["shared", "tied", "separate"]
SHARING = "shared: one matrix for source, target and output; tied: for target and output; separate: three"


@dataclass(frozen=True)
class Embeddings:
    """Of both sides, and the output that projects states to the vocabulary."""

    source: TokenEmbedding
    target: TokenEmbedding
    output: nn.Linear


def make_embeddings(
    vocabulary: Vocabulary,
    *,
    dim: int,
    dropout: float,
    sharing: Sharing,
    positions: PositionName = "none",
    combine: Combine = "add",
    max_length: int = 1024,
) -> Embeddings:
    if sharing == "shared" and not vocabulary.shared:
        raise ModelError(
            "model.embeddings shared needs one vocabulary for both languages: "
            "set tokenizer.shared=true, or model.embeddings=tied"
        )

    def embedding(vocab_size: int) -> TokenEmbedding:
        placed = Positions(dim=dim, kind=positions, combine=combine, max_length=max_length)
        return TokenEmbedding(vocab_size=vocab_size, dim=dim, positions=placed, dropout=dropout)

    source, target = embedding(vocabulary.source), embedding(vocabulary.target)
    output = nn.Linear(dim, vocabulary.target, bias=False)
    nn.init.normal_(output.weight, std=dim**-0.5)
    if sharing != "separate":
        output.weight = target.tokens.weight
    if sharing == "shared":
        source.tokens = target.tokens
    return Embeddings(source, target, output)
