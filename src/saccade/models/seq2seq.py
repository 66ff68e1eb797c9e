"""Sequence to sequence: an encoder reads the source, a decoder writes the target word by word.

Shapes: B sentences, S source tokens, T target tokens, E width.
"""

from typing import Any

from torch import Tensor, nn

from saccade.errors import ModelError
from saccade.layers import Decoder, Encoder, State, TokenEmbedding, take_balance_loss
from saccade.models.writer import Writer


class Seq2Seq(Writer):
    """p(target | source) = Π_t softmax(W · decoder(target_<t, encoder(source)))."""

    def __init__(
        self,
        *,
        source_embedding: TokenEmbedding,
        target_embedding: TokenEmbedding,
        encoder: Encoder,
        decoder: Decoder[Any],
        output: nn.Linear,
        pad_id: int,
    ) -> None:
        super().__init__()
        self.source_embedding = source_embedding
        self.target_embedding = target_embedding
        self.encoder = encoder
        self.decoder = decoder
        self.output = output
        self.pad_id = pad_id

    @property
    def max_source_length(self) -> int | None:
        """How many source tokens the positions allow; None if there is no limit."""
        return self.source_embedding.positions.max_length

    def forward(self, source_BS: Tensor, target_BT: Tensor) -> Tensor:
        """The decoder's states (B, T, E) when it is given the right prefix at every position."""
        source = self.encoder(self.source_embedding(source_BS), source_BS != self.pad_id)
        states: Tensor = self.decoder(self.target_embedding(target_BT), source)
        return states

    def take_balance_loss(self, source_BS: Tensor, target_BT: Tensor) -> Tensor:
        """How unevenly ``forward`` has just used the experts of its layers, for real tokens; 0 without experts."""
        read = take_balance_loss(self.encoder, source_BS != self.pad_id)
        return read + take_balance_loss(self.decoder, target_BT != self.pad_id)

    def start(self, source_BS: Tensor) -> State:
        """Reads the source; the state goes to ``step``."""
        real_BS = source_BS != self.pad_id
        if not bool(real_BS.any(dim=1).all()):
            raise ModelError("a source without any token cannot be read: leave empty sentences out")
        state: State = self.decoder.start(self.encoder(self.source_embedding(source_BS), real_BS))
        return state
