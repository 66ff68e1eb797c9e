"""What stands around attention: embeddings, feed-forward, experts, residual connections, recurrences, blocks."""

from saccade.layers.cells import CellName
from saccade.layers.dropout import Dropout
from saccade.layers.embedding import TokenEmbedding
from saccade.layers.experts import MixtureOfExperts, take_balance_loss
from saccade.layers.feedforward import Activation, FeedForward
from saccade.layers.memory import Decoder, Encoded, Encoder, State
from saccade.layers.recurrent import Connection, Directions, RecurrentEncoder
from saccade.layers.recurrent_decoder import RecurrentDecoder
from saccade.layers.residual import NormPlace, Residual
from saccade.layers.transformer import TransformerDecoder, TransformerEncoder
from saccade.layers.vocabulary import vocabulary_loss

__all__ = [
    "Activation",
    "CellName",
    "Connection",
    "Decoder",
    "Directions",
    "Dropout",
    "Encoded",
    "Encoder",
    "FeedForward",
    "MixtureOfExperts",
    "NormPlace",
    "RecurrentDecoder",
    "RecurrentEncoder",
    "Residual",
    "State",
    "TokenEmbedding",
    "TransformerDecoder",
    "TransformerEncoder",
    "take_balance_loss",
    "vocabulary_loss",
]
