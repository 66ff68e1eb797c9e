"""The Transformer's encoder and decoder (Vaswani et al. 2017).

Shapes: B sentences, S source positions, T target positions, N rows in decoding (B × beams), E width of the model.
"""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from saccade.attention import Ancestry, GrowingCache, KeysValues, Mask, MultiHead, ScoreName
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
    activation: Activation = "relu"
    score: ScoreName = "scaled-dot"
    window: int | None = None

    def attention(self) -> MultiHead:
        return MultiHead(dim=self.dim, heads=self.heads, dropout=self.attention_dropout, score=self.score)

    def residual(self) -> Residual:
        return Residual(dim=self.dim, dropout=self.dropout, place=self.norm)

    def feed_forward(self) -> FeedForward:
        return FeedForward(dim=self.dim, ff_dim=self.ff_dim, dropout=self.ff_dropout, activation=self.activation)

    def final_norm(self) -> nn.Module:
        """Pre-norm stacks leave their last sum unnormalised, so they end with one more norm."""
        return nn.LayerNorm(self.dim) if self.norm == "pre" else nn.Identity()


class EncoderBlock(nn.Module):
    """Self-attention, then feed-forward, each in a residual connection."""

    def __init__(self, shape: BlockShape) -> None:
        super().__init__()
        self.self_attention = shape.attention()
        self.self_residual = shape.residual()
        self.feed_forward = shape.feed_forward()
        self.ff_residual = shape.residual()

    def forward(self, x_BSE: Tensor, *, mask: Mask) -> Tensor:
        x_BSE = self.self_residual(x_BSE, lambda x: self.self_attention(x, mask=mask))
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


class TransformerEncoder(nn.Module):
    """A stack of encoder blocks: embedded source (B, S, E) → states (B, S, E)."""

    def __init__(self, shape: BlockShape, *, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderBlock(shape) for _ in range(layers))
        self.norm = shape.final_norm()
        self.window = shape.window

    def forward(self, x_BSE: Tensor, real_BS: Tensor) -> Tensor:
        # A batch without padding needs no mask, and the fused kernel is faster without one.
        mask = Mask(keys_BK=None if bool(real_BS.all()) else real_BS, window=self.window)
        for block in self.layers:
            x_BSE = block(x_BSE, mask=mask)
        output: Tensor = self.norm(x_BSE)
        return output


@dataclass
class DecoderState:
    """Everything a Transformer decoder remembers between two steps of N = B × beams rows."""

    sources: list[KeysValues]
    source_mask: Mask
    ancestry: Ancestry
    caches: list[GrowingCache]

    def positions(self, rows: int) -> Tensor:
        """Where the next token of each row stands, (N,)."""
        return self.ancestry.positions(rows)

    def reorder(self, rows_N: Tensor) -> None:
        """Row n goes on from row ``rows_N[n]`` of the same sentence."""
        self.ancestry.reorder(rows_N)

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        """Only these sentences, with these rows, go on."""
        self.sources = [source.keep(sentences_B) for source in self.sources]
        if self.source_mask.keys_BK is not None:
            real_BS = self.source_mask.keys_BK.index_select(0, sentences_B)
            longest = int(real_BS.sum(dim=1).max()) if len(sentences_B) else 0
            self.sources = [source.first(longest) for source in self.sources]
            self.source_mask = Mask(keys_BK=real_BS[:, :longest])
        slots_BX = self.ancestry.keep(sentences_B, rows_N)
        for cache in self.caches:
            cache.keep(sentences_B, slots_BX)

    def join(self, new: "DecoderState") -> None:
        """Sentences of which nothing is written yet go on beside the others, as the last ones."""
        real_BS = torch.cat([pad(real, (0, self._longer(new) - real.shape[1])) for real in (self._real(), new._real())])
        self.sources = [source.join(other) for source, other in zip(self.sources, new.sources, strict=True)]
        self.source_mask = Mask(keys_BK=None if bool(real_BS.all()) else real_BS)
        self.ancestry.join(new.ancestry.sentences)
        for cache in self.caches:
            cache.join(new.ancestry.sentences)

    def _longer(self, other: "DecoderState") -> int:
        return max(state.sources[0].keys.shape[2] for state in (self, other))

    def _real(self) -> Tensor:
        """(B, S)."""
        if self.source_mask.keys_BK is not None:
            return self.source_mask.keys_BK
        keys = self.sources[0].keys
        return torch.ones(keys.shape[0], keys.shape[2], dtype=torch.bool, device=keys.device)


class TransformerDecoder(nn.Module):
    """A stack of decoder blocks, whole sequences at once in training, one token at a time in decoding."""

    def __init__(self, shape: BlockShape, *, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderBlock(shape) for _ in range(layers))
        self.norm = shape.final_norm()
        self.window = shape.window

    def forward(self, x_BTE: Tensor, source_BSE: Tensor, real_BS: Tensor) -> Tensor:
        """Padding follows the real target tokens, so the causal mask alone keeps them from being seen."""
        mask = Mask(causal=True, window=self.window)
        source_mask = Mask(keys_BK=None if bool(real_BS.all()) else real_BS)
        for block in self.layers:
            x_BTE = block(x_BTE, source_BSE, mask=mask, source_mask=source_mask)
        output: Tensor = self.norm(x_BTE)
        return output

    def start(self, source_BSE: Tensor, real_BS: Tensor) -> DecoderState:
        """Projects the source's keys and values of every layer, once for the whole decoding."""
        ancestry = Ancestry(len(source_BSE), source_BSE.device)
        return DecoderState(
            sources=[
                cast(DecoderBlock, block).cross_attention.keys_values(source_BSE).for_steps() for block in self.layers
            ],
            source_mask=Mask(keys_BK=None if bool(real_BS.all()) else real_BS),
            ancestry=ancestry,
            caches=[GrowingCache(ancestry) for _ in self.layers],
        )

    def step(self, x_NTE: Tensor, state: DecoderState) -> Tensor:
        """The states of the newest token, (N, 1, E); ``state`` moves one position on."""
        state.ancestry.grow(len(x_NTE))
        mask = state.ancestry.mask(self.window)
        for block, source, cache in zip(self.layers, state.sources, state.caches, strict=True):
            x_NTE = block(x_NTE, source, mask=mask, source_mask=state.source_mask, cache=cache)
        output: Tensor = self.norm(x_NTE)
        return output
