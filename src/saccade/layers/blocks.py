"""The Transformer's blocks (Vaswani et al. 2017): attention and feed-forward, each in a residual connection.

Shapes: B sentences, S source positions, T target positions, N rows in decoding (B × beams), E width of the model.
"""

from dataclasses import dataclass

from torch import Tensor, nn

from saccade.attention import GrowingCache, KeysValues, Mask, MultiHead, ScoreName
from saccade.layers.experts import MixtureOfExperts
from saccade.layers.feedforward import Activation, FeedForward
from saccade.layers.residual import NormPlace, Residual


@dataclass(frozen=True)
class BlockShape:
    """What all blocks of a stack have in common."""

    dim: int
    heads: int
    ff_dim: int
    dropout: float = 0.1
    ff_dropout: float = 0.0
    attention_dropout: float = 0.0
    norm: NormPlace = "pre"
    bias: bool = True
    activation: Activation = "relu"
    score: ScoreName = "scaled-dot"
    window: int | None = None
    experts: int | None = None
    experts_used: int = 2
    balance: float = 0.01
    eps: float = 1e-5

    def attention(self) -> MultiHead:
        return MultiHead(
            dim=self.dim, heads=self.heads, dropout=self.attention_dropout, score=self.score, bias=self.bias
        )

    def residual(self) -> Residual:
        return Residual(dim=self.dim, dropout=self.dropout, place=self.norm, bias=self.bias, eps=self.eps)

    def feed_forward(self) -> FeedForward | MixtureOfExperts:
        if self.experts is None:
            return FeedForward(
                dim=self.dim,
                ff_dim=self.ff_dim,
                dropout=self.ff_dropout,
                activation=self.activation,
                bias=self.bias,
            )
        return MixtureOfExperts(
            dim=self.dim,
            ff_dim=self.ff_dim,
            experts=self.experts,
            used=self.experts_used,
            balance=self.balance,
            dropout=self.ff_dropout,
            activation=self.activation,
        )

    def final_norm(self) -> nn.Module:
        """Pre-norm stacks leave their last sum unnormalised, so they end with one more norm."""
        return nn.LayerNorm(self.dim, eps=self.eps, bias=self.bias) if self.norm == "pre" else nn.Identity()


class EncoderBlock(nn.Module):
    """Self-attention, then feed-forward, each in a residual connection."""

    def __init__(self, shape: BlockShape) -> None:
        super().__init__()
        self.self_attention = shape.attention()
        self.self_residual = shape.residual()
        self.feed_forward = shape.feed_forward()
        self.ff_residual = shape.residual()

    def forward(self, x_BSE: Tensor, *, mask: Mask, cache: GrowingCache | None = None) -> Tensor:
        """With a ``cache`` these are the newest tokens of texts that are written step by step."""
        x_BSE = self.self_residual(x_BSE, lambda x: self.self_attention(x, mask=mask, cache=cache))
        output: Tensor = self.ff_residual(x_BSE, self.feed_forward)
        return output


class DecoderBlock(nn.Module):
    """Masked self-attention, attention to the source, feed-forward."""

    def __init__(self, shape: BlockShape) -> None:
        super().__init__()
        self.self_attention = shape.attention()
        self.self_residual = shape.residual()
        self.cross_attention = shape.attention()
        self.cross_residual = shape.residual()
        self.feed_forward = shape.feed_forward()
        self.ff_residual = shape.residual()

    def forward(
        self,
        x_NTE: Tensor,
        source: Tensor | KeysValues,
        *,
        mask: Mask,
        source_mask: Mask,
        cache: GrowingCache | None = None,
    ) -> Tensor:
        x_NTE = self.self_residual(x_NTE, lambda x: self.self_attention(x, mask=mask, cache=cache))
        x_NTE = self.cross_residual(x_NTE, lambda x: self.cross_attention(x, source, mask=source_mask))
        output: Tensor = self.ff_residual(x_NTE, self.feed_forward)
        return output
