"""Language model: reads a text from left to right and says at every position what may come next.

Shapes: B texts, S tokens of a prompt, T tokens, N rows in decoding (B × beams), E width, V vocabulary.
"""

from typing import Any

from torch import Tensor, nn

from saccade.layers import Stack, State, TokenEmbedding, vocabulary_loss


class LanguageModel(nn.Module):
    """p(text) = Π_t softmax(W · decoder(text_<t)). There is no source: what was written is all that is known."""

    def __init__(self, *, embedding: TokenEmbedding, decoder: Stack[Any], output: nn.Linear) -> None:
        super().__init__()
        self.embedding = embedding
        self.decoder = decoder
        self.output = output

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

    def start(self, prompts_BS: Tensor, lengths_B: Tensor | None = None) -> State:
        """Reads prompts; the state goes to ``step``.

        With ``lengths_B`` only the first so many tokens of each are read, none included; any token may stand behind.
        """
        if lengths_B is None:
            lengths_B = prompts_BS.new_full((len(prompts_BS),), prompts_BS.shape[1])
        state: State = self.decoder.read(self.embedding(prompts_BS), lengths_B)
        return state

    def step(self, tokens_N: Tensor, state: State) -> Tensor:
        """The logits (N, V) of the token after ``tokens_N``; ``state`` moves one position on."""
        x_N1E = self.embedding(tokens_N[:, None], start=state.positions(len(tokens_N)))
        return self.logits(self.decoder.step(x_N1E, state)[:, 0])
