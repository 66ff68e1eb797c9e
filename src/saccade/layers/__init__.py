"""What stands around attention: embeddings, feed-forward, residual connections, recurrences, the Transformer's blocks."""

from saccade.layers.cells import CellName
from saccade.layers.dropout import Dropout
from saccade.layers.embedding import TokenEmbedding
from saccade.layers.feedforward import Activation, FeedForward
from saccade.layers.memory import Decoder, Encoded, Encoder, Stack, State
from saccade.layers.recurrent import Connection, Directions, RecurrentEncoder
from saccade.layers.recurrent_decoder import RecurrentDecoder
from saccade.layers.recurrent_stack import RecurrentStack
from saccade.layers.residual import NormPlace, Residual
from saccade.layers.self_recurrent import QuerySource, SelfRecurrentEncoder, SelfRecurrentStack
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
    "NormPlace",
    "QuerySource",
    "RecurrentDecoder",
    "RecurrentEncoder",
    "RecurrentStack",
    "Residual",
    "SelfRecurrentEncoder",
    "SelfRecurrentStack",
    "Stack",
    "State",
    "TokenEmbedding",
    "TransformerDecoder",
    "TransformerEncoder",
    "vocabulary_loss",
]
