"""The Transformer that only writes: the decoder without a source, as in GPT (Radford et al. 2018).

Shapes: B texts, N rows, S tokens of a prompt, T tokens, E width of the model.
"""

import torch
from torch import Tensor, nn

from saccade.attention import Mask
from saccade.layers.blocks import BlockShape, EncoderBlock
from saccade.layers.memory import PrefixMemory, Stack
from saccade.layers.step_block import StepBlock, step_blocks


class TextMemory(PrefixMemory):
    """What was read and written of each text, and the blocks as its steps go through them, if they have that form."""

    def __init__(self, sentences: int, blocks: nn.ModuleList, device: torch.device) -> None:
        super().__init__(sentences, layers=len(blocks), device=device)
        self.blocks = step_blocks(StepBlock, blocks)


class TransformerStack(Stack[TextMemory]):
    """Blocks of masked self-attention and feed-forward: those of an encoder, in which nobody looks ahead."""

    def __init__(self, shape: BlockShape, *, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderBlock(shape) for _ in range(layers))
        self.norm = shape.final_norm()
        self.window = shape.window

    def forward(self, x_BTE: Tensor) -> Tensor:
        """Padding follows the real tokens, so the causal mask alone keeps them from being seen."""
        mask = Mask(causal=True, window=self.window)
        for block in self.layers:
            x_BTE = block(x_BTE, mask=mask)
        output: Tensor = self.norm(x_BTE)
        return output

    def start(self, sentences: int) -> TextMemory:
        return TextMemory(sentences, self.layers, next(self.parameters()).device)

    def step(self, x_NTE: Tensor, state: TextMemory) -> Tensor:
        state.ancestry.grow(len(x_NTE), tokens=x_NTE.shape[1])
        if state.blocks is None or self.training or x_NTE.shape[1] > 1:
            return self._through(x_NTE, state)
        mask = state.ancestry.mask(self.window)
        x_NE = x_NTE[:, 0]
        for block, cache in zip(state.blocks, state.caches, strict=True):
            x_NE = block(x_NE, mask=mask, cache=cache)
        output: Tensor = self.norm(x_NE)
        return output[:, None]

    def read(self, x_BSE: Tensor, lengths_B: Tensor) -> TextMemory:
        """All prompts in one pass, whatever their lengths."""
        state = self.start(len(x_BSE))
        length = x_BSE.shape[1]
        if length:
            full = bool((lengths_B == length).all())
            state.ancestry.grow(len(x_BSE), tokens=length, lengths_B=None if full else lengths_B)
            self._through(x_BSE, state)
        return state

    def _through(self, x_NTE: Tensor, state: TextMemory) -> Tensor:
        mask = state.ancestry.mask(self.window)
        for block, cache in zip(self.layers, state.caches, strict=True):
            x_NTE = block(x_NTE, mask=mask, cache=cache)
        output: Tensor = self.norm(x_NTE)
        return output
