"""Convolutional translators: with attention in every layer, and without any."""

from pydantic import BaseModel, ConfigDict, Field

from saccade.attention import PositionName, ScoreName
from saccade.layers import ByteNetDecoder, ByteNetEncoder, ConvSeq2SeqDecoder, ConvSeq2SeqEncoder
from saccade.models.embeddings import SHARING, Sharing, make_embeddings
from saccade.models.registry import Vocabulary, preset
from saccade.models.seq2seq import Seq2Seq


class ConvSeq2SeqOptions(BaseModel):
    """Everything about a gated convolutional translator that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    dim: int = Field(256, gt=0, description="width of embeddings, convolutions and attention")
    encoder_layers: int = Field(4, gt=0, description="convolutions that read the source")
    decoder_layers: int = Field(4, gt=0, description="convolutions that write the target, each with an attention")
    kernel: int = Field(3, gt=1, description="words that one convolution sees side by side")
    score: ScoreName = Field("dot", description="similarity of query and key")
    positions: PositionName = Field("learned", description="positional encoding")
    max_length: int = Field(1024, gt=0, description="longest text that learned positions allow, in tokens")
    dropout: float = Field(0.2, ge=0, lt=1, description="dropout of embeddings, of each convolution's input and output")
    embeddings: Sharing = Field("shared", description=SHARING)


class ByteNetOptions(BaseModel):
    """Everything about a ByteNet that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    dim: int = Field(256, gt=1, description="width of embeddings and of what passes by the blocks; inside it is half")
    encoder_sets: int = Field(2, gt=0, description="sets of blocks that read the source")
    decoder_sets: int = Field(2, gt=0, description="sets of blocks that write the target")
    dilations: int = Field(5, gt=0, description="blocks of a set, whose words lie 1, 2, 4, … apart")
    kernel: int = Field(3, gt=1, description="words that one convolution sees")
    unfold: float = Field(1.2, ge=1, description="columns of the source for each of its words, for longer targets")
    dropout: float = Field(0.2, ge=0, lt=1, description="dropout of embeddings and of what each block adds")
    embeddings: Sharing = Field("shared", description=SHARING)


def gated_translator(options: ConvSeq2SeqOptions, vocabulary: Vocabulary) -> Seq2Seq:
    """Puts a translator together from its options."""
    embeddings = make_embeddings(
        vocabulary,
        dim=options.dim,
        dropout=options.dropout,
        sharing=options.embeddings,
        positions=options.positions,
        max_length=options.max_length,
    )
    return Seq2Seq(
        source_embedding=embeddings.source,
        target_embedding=embeddings.target,
        encoder=ConvSeq2SeqEncoder(
            dim=options.dim, layers=options.encoder_layers, kernel=options.kernel, dropout=options.dropout
        ),
        decoder=ConvSeq2SeqDecoder(
            dim=options.dim,
            layers=options.decoder_layers,
            kernel=options.kernel,
            score=options.score,
            dropout=options.dropout,
        ),
        output=embeddings.output,
        pad_id=vocabulary.pad_id,
    )


def dilated_translator(options: ByteNetOptions, vocabulary: Vocabulary) -> Seq2Seq:
    """Puts a translator together from its options."""
    embeddings = make_embeddings(vocabulary, dim=options.dim, dropout=options.dropout, sharing=options.embeddings)
    return Seq2Seq(
        source_embedding=embeddings.source,
        target_embedding=embeddings.target,
        encoder=ByteNetEncoder(
            dim=options.dim,
            sets=options.encoder_sets,
            dilations=options.dilations,
            kernel=options.kernel,
            unfold=options.unfold,
            dropout=options.dropout,
        ),
        decoder=ByteNetDecoder(
            dim=options.dim,
            sets=options.decoder_sets,
            dilations=options.dilations,
            kernel=options.kernel,
            dropout=options.dropout,
        ),
        output=embeddings.output,
        pad_id=vocabulary.pad_id,
    )


@preset("conv-seq2seq", task="translation", build=gated_translator)
def conv_seq2seq() -> ConvSeq2SeqOptions:
    """Gated convolutions with attention in every layer of the decoder (Gehring et al. 2017, "ConvS2S").

    6,248,448 parameters with a shared vocabulary of 8,000. The paper has 15 and more layers, wider ones on top, with
    weight normalisation and scaled gradients; here a good start of the weights does what these are for.
    """
    return ConvSeq2SeqOptions()


@preset("bytenet", task="translation", build=dilated_translator)
def bytenet() -> ByteNetOptions:
    """Dilated convolutions upon dilated convolutions, no attention: linear time (Kalchbrenner et al. 2016, "ByteNet").

    4,570,624 parameters with a shared vocabulary of 8,000. The paper has 6 + 6 sets and width 1,600, on characters.
    """
    return ByteNetOptions()
