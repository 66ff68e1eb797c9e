"""The Transformer's encoder and decoder (Vaswani et al. 2017).

Shapes: B sentences, S source positions, T target positions, N rows in decoding (B × beams), E width of the model.
"""

from dataclasses import dataclass, replace
from typing import cast

from torch import Tensor, nn

from saccade.attention import GrowingCache, KeysValues, Mask, MultiHead, ScoreName
from saccade.layers.experts import MixtureOfExperts
from saccade.layers.feedforward import Activation, FeedForward
from saccade.layers.memory import Decoder, Encoded, Encoder, PrefixMemory, SourceMemory, padding_mask
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


class TransformerEncoder(Encoder):
    """A stack of encoder blocks: embedded source (B, S, E) → states (B, S, E)."""

    def __init__(self, shape: BlockShape, *, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderBlock(shape) for _ in range(layers))
        self.norm = shape.final_norm()
        self.window = shape.window

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Encoded:
        return Encoded(self.norm(self.states(x_BSE, real_BS)[-1]), real_BS)

    def states(self, x_BSE: Tensor, real_BS: Tensor, pairs_BSS: Tensor | None = None) -> list[Tensor]:
        """What comes out of each block, (B, S, E), before the norm at the end of a pre-norm stack.

        ``pairs_BSS`` is a table of who may look at whom, where not everybody may look at all that is real.
        """
        mask = replace(padding_mask(real_BS, window=self.window), pairs_BQK=pairs_BSS)
        states = []
        for block in self.layers:
            x_BSE = block(x_BSE, mask=mask)
            states.append(x_BSE)
        return states


@dataclass
class DecoderState:
    """Everything a Transformer decoder remembers between two steps of N = B × beams rows."""

    source: SourceMemory
    prefix: PrefixMemory

    def positions(self, rows: int) -> Tensor:
        return self.prefix.positions(rows)

    def reorder(self, rows_N: Tensor) -> None:
        self.prefix.reorder(rows_N)

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        self.source.keep(sentences_B)
        self.prefix.keep(sentences_B, rows_N)

    def join(self, new: "DecoderState") -> None:
        self.source.join(new.source)
        self.prefix.join(new.prefix)

    def replace(self, places_P: Tensor, new: "DecoderState") -> None:
        self.source.replace(places_P, new.source)
        self.prefix.replace(places_P, new.prefix)


class TransformerDecoder(Decoder[DecoderState]):
    """A stack of decoder blocks, whole sequences at once in training, one token at a time in decoding."""

    def __init__(self, shape: BlockShape, *, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderBlock(shape) for _ in range(layers))
        self.norm = shape.final_norm()
        self.window = shape.window

    def forward(self, x_BTE: Tensor, source: Encoded) -> Tensor:
        """Padding follows the real target tokens, so the causal mask alone keeps them from being seen."""
        mask = Mask(causal=True, window=self.window)
        source_mask = source.mask
        for block in self.layers:
            x_BTE = block(x_BTE, source.states_BSE, mask=mask, source_mask=source_mask)
        output: Tensor = self.norm(x_BTE)
        return output

    def start(self, source: Encoded) -> DecoderState:
        """Projects the source's keys and values of every layer, once for the whole decoding."""
        blocks = [cast(DecoderBlock, block) for block in self.layers]
        return DecoderState(
            SourceMemory([block.cross_attention.keys_values(source.states_BSE) for block in blocks], source.real_BS),
            PrefixMemory(len(source.real_BS), layers=len(blocks), device=source.real_BS.device),
        )

    def step(self, x_N1E: Tensor, state: DecoderState) -> Tensor:
        state.prefix.ancestry.grow(len(x_N1E))
        mask, source = state.prefix.ancestry.mask(self.window), state.source
        for block, memory, cache in zip(self.layers, source.layers, state.prefix.caches, strict=True):
            x_N1E = block(x_N1E, memory, mask=mask, source_mask=source.mask, cache=cache)
        output: Tensor = self.norm(x_N1E)
        return output
