"""What all models that write a text about something have in common, be it a sentence or a picture.

Shapes: T target tokens, N rows in decoding (sources × beams), E width, V target vocabulary.
"""

from typing import Any

from torch import Tensor, nn

from saccade.layers import Decoder, State, TokenEmbedding, vocabulary_loss


class Writer(nn.Module):
    """p(target | source) = Π_t softmax(W · decoder(target_<t, source)).

    Each kind puts its parts in the order in which data goes through them, which is that of their names everywhere.
    """

    target_embedding: TokenEmbedding
    decoder: Decoder[Any]
    output: nn.Linear
    pad_id: int

    @property
    def max_target_length(self) -> int | None:
        """How many target tokens the positions allow; None if there is no limit."""
        return self.target_embedding.positions.max_length

    def logits(self, states: Tensor) -> Tensor:
        """(…, E) → (…, V)."""
        scores: Tensor = self.output(states)
        return scores

    def loss(
        self, states_NE: Tensor, tokens_N: Tensor, *, label_smoothing: float = 0.0, weights_N: Tensor | None = None
    ) -> Tensor:
        """Σ −log p(token) of N states, smoothed and weighted; their logits are never all held at once."""
        return vocabulary_loss(
            states_NE, self.output.weight, tokens_N, label_smoothing=label_smoothing, weights_N=weights_N
        )

    def step(self, tokens_N: Tensor, state: State) -> Tensor:
        """The logits (N, V) of the token after ``tokens_N``; ``state`` moves one position on."""
        x_N1E = self.target_embedding(tokens_N[:, None], start=state.positions(len(tokens_N)))
        return self.logits(self.decoder.step(x_N1E, state)[:, 0])
