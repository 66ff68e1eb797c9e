"""Language model: reads a text from left to right and says at every position what may come next.

Shapes: B texts, S tokens of a prompt, T tokens, N rows in decoding (B × beams), E width, V vocabulary.
"""

from typing import Any

import torch
from torch import Tensor, nn

from saccade.layers import Stack, State, TokenEmbedding, vocabulary_loss


class LanguageModel(nn.Module):
    """p(text) = Π_t softmax(W · decoder(text_<t)). There is no source: what was written is all that is known."""

    def __init__(self, *, embedding: TokenEmbedding, decoder: Stack[Any], output: nn.Linear, pad_id: int) -> None:
        super().__init__()
        self.embedding = embedding
        self.decoder = decoder
        self.output = output
        self.pad_id = pad_id

    @property
    def max_length(self) -> int | None:
        """How many tokens the positions allow; None if there is no limit."""
        return self.embedding.positions.max_length

    def forward(self, tokens_BT: Tensor) -> Tensor:
        """The states (B, T, E) from which the token after each position is chosen."""
        states: Tensor = self.decoder(self.embedding(tokens_BT))
        return states

    def logits(self, states: Tensor) -> Tensor:
        """(…, E) → (…, V)."""
        scores: Tensor = self.output(states)
        return scores

    def loss(self, states_NE: Tensor, tokens_N: Tensor, *, label_smoothing: float = 0.0) -> Tensor:
        """Σ −log p(token) of N states, smoothed; their logits are never all held at once."""
        return vocabulary_loss(states_NE, self.output.weight, tokens_N, label_smoothing=label_smoothing)

    def start(self, prompts_BS: Tensor) -> State:
        """Reads prompts of any lengths, none included, with padding behind them; the state goes to ``step``.

        The longest are read first; the others join when as much is left of these as they have, so that all come to
        their end together.
        """
        lengths_B = (prompts_BS != self.pad_id).sum(dim=1)
        order_B = lengths_B.argsort(descending=True, stable=True)
        longest = int(lengths_B.max())
        begun = int((lengths_B == longest).sum())
        state: State = self.decoder.start(begun)
        for left in range(longest, 0, -1):
            reading_N = order_B[:begun]
            tokens_N = prompts_BS[reading_N, lengths_B[reading_N] - left]
            self.decoder.step(self._embedded(tokens_N, state), state)
            if joining := int((lengths_B == left - 1).sum()):
                state.join(self.decoder.start(joining))
                begun += joining
        place_B = torch.argsort(order_B)
        state.keep(place_B, place_B)
        return state

    def step(self, tokens_N: Tensor, state: State) -> Tensor:
        """The logits (N, V) of the token after ``tokens_N``; ``state`` moves one position on."""
        return self.logits(self.decoder.step(self._embedded(tokens_N, state), state)[:, 0])

    def _embedded(self, tokens_N: Tensor, state: State) -> Tensor:
        embedded: Tensor = self.embedding(tokens_N[:, None], start=state.positions(len(tokens_N)))
        return embedded
