"""What stands around attention: embeddings, feed-forward, experts, recurrences, convolutions, Transformer blocks."""

from saccade.layers.bert_embedding import BertEmbedding
from saccade.layers.bytenet import ByteNetDecoder, ByteNetEncoder
from saccade.layers.cells import CellName
from saccade.layers.consistency import consistency_loss, divergence
from saccade.layers.conv_seq2seq import ConvSeq2SeqDecoder, ConvSeq2SeqEncoder
from saccade.layers.dropout import Dropout
from saccade.layers.embedding import TokenEmbedding
from saccade.layers.experts import MixtureOfExperts, take_balance_loss
from saccade.layers.feedforward import Activation, FeedForward
from saccade.layers.layout import by_column
from saccade.layers.memory import Decoder, Encoded, Encoder, Stack, State
from saccade.layers.picture import PixelGrid, PlaceEmbedding, PlaceEncoder, WholeEncoder
from saccade.layers.recurrent import Connection, Directions, RecurrentEncoder
from saccade.layers.recurrent_decoder import RecurrentDecoder
from saccade.layers.recurrent_stack import RecurrentStack
from saccade.layers.residual import NormPlace, Residual
from saccade.layers.self_recurrent import QuerySource, SelfRecurrentEncoder, SelfRecurrentStack
from saccade.layers.transformer import TransformerDecoder, TransformerEncoder
from saccade.layers.transformer_stack import TransformerStack
from saccade.layers.vocabulary import log_probabilities, vocabulary_loss

__all__ = [
    "Activation",
    "BertEmbedding",
    "ByteNetDecoder",
    "ByteNetEncoder",
    "CellName",
    "Connection",
    "ConvSeq2SeqDecoder",
    "ConvSeq2SeqEncoder",
    "Decoder",
    "Directions",
    "Dropout",
    "Encoded",
    "Encoder",
    "FeedForward",
    "MixtureOfExperts",
    "NormPlace",
    "PixelGrid",
    "PlaceEmbedding",
    "PlaceEncoder",
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
    "TransformerStack",
    "WholeEncoder",
    "by_column",
    "consistency_loss",
    "divergence",
    "log_probabilities",
    "take_balance_loss",
    "vocabulary_loss",
]
