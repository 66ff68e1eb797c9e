"""What stands around attention: embeddings, feed-forward, residual connections, the Transformer's blocks."""

from saccade.layers.dropout import Dropout
from saccade.layers.embedding import TokenEmbedding
from saccade.layers.feedforward import Activation, FeedForward
from saccade.layers.residual import NormPlace, Residual
from saccade.layers.transformer import (
    DecoderState,
    TransformerDecoder,
    TransformerEncoder,
)
from saccade.layers.vocabulary import vocabulary_loss

__all__ = [
    "Activation",
    "DecoderState",
    "Dropout",
    "FeedForward",
    "NormPlace",
    "Residual",
    "TokenEmbedding",
    "TransformerDecoder",
    "TransformerEncoder",
    "vocabulary_loss",
]
