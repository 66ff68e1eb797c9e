"""Recurrent translators: without attention, with it, and the deep ones that led up to the Transformer."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from saccade.layers import CellName, Connection, Directions, RecurrentDecoder, RecurrentEncoder
from saccade.models.embeddings import SHARING, Sharing, make_embeddings
from saccade.models.registry import Vocabulary, preset
from saccade.models.seq2seq import Seq2Seq


class RnnOptions(BaseModel):
    """Everything about a recurrent translator that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    dim: int = Field(256, gt=0, description="width of embeddings, states and attention")
    cell: CellName = Field("gru", description="simple: tanh(A·[x; h] + b); gru and lstm have gates")
    encoder_layers: int = Field(1, gt=0, description="layers that read the source")
    decoder_layers: int = Field(1, gt=0, description="layers that write the target")
    directions: Directions = Field(
        "both",
        description="the encoder reads forwards (one), both ways (both), both ways in its first layer (first), or "
        "forwards and backwards in turn (alternating)",
    )
    attention: Literal["none", "additive", "dot", "scaled-dot"] = Field(
        "additive", description="how the decoder's state is compared with each state of the source; none: not at all"
    )
    connection: Connection = Field("plain", description="what a layer passes on beside its states")
    dropout: float = Field(0.2, ge=0, lt=1, description="dropout of embeddings and between layers")
    embeddings: Sharing = Field("shared", description=SHARING)

    @field_validator("directions")
    @classmethod
    def _halves(cls, directions: str, info: ValidationInfo) -> str:
        dim = info.data.get("dim")
        if dim is not None and dim % 2 and directions in ("both", "first"):
            raise PydanticCustomError(
                "directions", "two directions take half of model.dim each, and {dim} is odd", {"dim": dim}
            )
        return directions


def rnn(options: RnnOptions, vocabulary: Vocabulary) -> Seq2Seq:
    """Puts a translator together from its options."""
    embeddings = make_embeddings(vocabulary, dim=options.dim, dropout=options.dropout, sharing=options.embeddings)
    return Seq2Seq(
        source_embedding=embeddings.source,
        target_embedding=embeddings.target,
        encoder=RecurrentEncoder(
            dim=options.dim,
            layers=options.encoder_layers,
            cell=options.cell,
            directions=options.directions,
            connection=options.connection,
            dropout=options.dropout,
        ),
        decoder=RecurrentDecoder(
            dim=options.dim,
            layers=options.decoder_layers,
            cell=options.cell,
            attention=None if options.attention == "none" else options.attention,
            connection=options.connection,
            dropout=options.dropout,
        ),
        output=embeddings.output,
        pad_id=vocabulary.pad_id,
    )


@preset("rnn-seq2seq", task="translation", build=rnn)
def rnn_seq2seq() -> RnnOptions:
    """An encoder RNN and a decoder RNN with one fixed context between them (Sutskever et al. 2014; Cho et al. 2014).

    3,198,464 parameters with a shared vocabulary of 8,000. All that is said must pass through one vector.
    """
    return RnnOptions(attention="none")


@preset("rnn-additive", task="translation", build=rnn)
def rnn_additive() -> RnnOptions:
    """The first translator with attention: a new context for every word, by an additive score (Bahdanau et al. 2015).

    3,330,048 parameters with a shared vocabulary of 8,000.
    """
    return RnnOptions(attention="additive")


@preset("rnn-dot", task="translation", build=rnn)
def rnn_dot() -> RnnOptions:
    """Attention by the inner product of W_Q s and W_K h (Luong et al. 2015).

    3,329,792 parameters with a shared vocabulary of 8,000.
    """
    return RnnOptions(attention="dot")


@preset("deep-att", task="translation", build=rnn)
def deep_att() -> RnnOptions:
    """Deep LSTMs that read in alternating directions, with fast-forward connections (Zhou et al. 2016, "Deep-Att").

    9,605,888 parameters with a shared vocabulary of 8,000. The paper has 9 and 7 layers of width 512.
    """
    return RnnOptions(
        cell="lstm",
        encoder_layers=5,
        decoder_layers=4,
        directions="alternating",
        connection="fast-forward",
    )


@preset("gnmt", task="translation", build=rnn)
def gnmt() -> RnnOptions:
    """8+8 residual LSTM layers, the first one both ways, one attention fed to all (Wu et al. 2016, "GNMT").

    13,816,576 parameters with a shared vocabulary of 8,000. The paper's width is 1,024: model.dim=1024.
    """
    return RnnOptions(cell="lstm", encoder_layers=8, decoder_layers=8, directions="first", connection="residual")
