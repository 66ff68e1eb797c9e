"""The Transformer's encoder and decoder (Vaswani et al. 2017).

Shapes: B sentences, S source positions, T target positions, N rows in decoding (B × beams), E width of the model.
"""

from dataclasses import dataclass, replace
from typing import cast

from torch import Tensor, nn

from saccade.attention import Mask
from saccade.layers.blocks import BlockShape, DecoderBlock, EncoderBlock
from saccade.layers.memory import Decoder, Encoded, Encoder, PrefixMemory, SourceMemory, padding_mask
from saccade.layers.step_block import StepDecoderBlock, step_blocks


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
    blocks: list[StepDecoderBlock] | None
    """The blocks as steps go through them, if they have that form."""

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
            step_blocks(StepDecoderBlock, blocks),
        )

    def step(self, x_N1E: Tensor, state: DecoderState) -> Tensor:
        state.prefix.ancestry.grow(len(x_N1E))
        mask, source = state.prefix.ancestry.mask(self.window), state.source
        if state.blocks is None or self.training:
            for block, memory, cache in zip(self.layers, source.layers, state.prefix.caches, strict=True):
                x_N1E = block(x_N1E, memory, mask=mask, source_mask=source.mask, cache=cache)
        else:
            x_NE = x_N1E[:, 0]
            for each, memory, cache in zip(state.blocks, source.layers, state.prefix.caches, strict=True):
                x_NE = each(x_NE, memory, mask=mask, source_mask=source.mask, cache=cache)
            x_N1E = x_NE[:, None]
        output: Tensor = self.norm(x_N1E)
        return output
