"""Translators whose encoder is an RNN with self-attention: every word looks back at all words before it."""

from pydantic import BaseModel, ConfigDict, Field

from saccade.attention import ScoreName
from saccade.layers import CellName, QuerySource, RecurrentDecoder, SelfRecurrentEncoder
from saccade.models.embeddings import SHARING, Sharing, make_embeddings
from saccade.models.registry import Vocabulary, preset
from saccade.models.seq2seq import Seq2Seq

QUERY = "what a word looks back with: the last state, or the word itself and what the last word saw"


class SelfRnnOptions(BaseModel):
    """Everything about such a translator that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    dim: int = Field(256, gt=0, description="width of embeddings, states and attention")
    cell: CellName = Field("lstm", description="the encoder's cell; simple: tanh(A·[x; c] + b)")
    query: QuerySource = Field("word", description=QUERY)
    score: ScoreName = Field("additive", description="how a word is compared with each state before it")
    decoder_cell: CellName = Field("lstm", description="the decoder's cell; gru and lstm have gates")
    encoder_layers: int = Field(1, gt=0, description="layers that read the source")
    decoder_layers: int = Field(1, gt=0, description="layers that write the target")
    attention: ScoreName = Field(
        "additive", description="how the decoder's state is compared with each state of the source"
    )
    dropout: float = Field(0.2, ge=0, lt=1, description="dropout of embeddings and between layers")
    embeddings: Sharing = Field("shared", description=SHARING)


def self_rnn(options: SelfRnnOptions, vocabulary: Vocabulary) -> Seq2Seq:
    """Puts a translator together from its options."""
    embeddings = make_embeddings(vocabulary, dim=options.dim, dropout=options.dropout, sharing=options.embeddings)
    return Seq2Seq(
        source_embedding=embeddings.source,
        target_embedding=embeddings.target,
        encoder=SelfRecurrentEncoder(
            dim=options.dim,
            layers=options.encoder_layers,
            cell=options.cell,
            query=options.query,
            score=options.score,
            dropout=options.dropout,
        ),
        decoder=RecurrentDecoder(
            dim=options.dim,
            layers=options.decoder_layers,
            cell=options.decoder_cell,
            attention=options.attention,
            dropout=options.dropout,
        ),
        output=embeddings.output,
        pad_id=vocabulary.pad_id,
    )


@preset("rnn-self", task="translation", build=self_rnn)
def rnn_self() -> SelfRnnOptions:
    """The simple RNN with attention over its own past states as the encoder: h_t = tanh(A·[x_t; c_{t−1}] + b).

    3,296,512 parameters with a shared vocabulary of 8,000. The decoder is that of rnn-additive.
    """
    return SelfRnnOptions(cell="simple", query="state", decoder_cell="gru")


@preset("lstmn", task="translation", build=self_rnn)
def lstmn() -> SelfRnnOptions:
    """The long short-term memory-network as the encoder (Cheng et al. 2016), and an LSTM with attention as the decoder.

    4,018,944 parameters with a shared vocabulary of 8,000. A word looks at the states and cells of all words before it.
    """
    return SelfRnnOptions()
