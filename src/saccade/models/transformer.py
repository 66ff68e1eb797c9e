"""The Transformer (Vaswani et al. 2017) and its presets."""

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from saccade.attention import Combine, PositionName, ScoreName
from saccade.layers import Activation, NormPlace, TransformerDecoder, TransformerEncoder
from saccade.layers.blocks import BlockShape
from saccade.models.embeddings import SHARING, Sharing, make_embeddings
from saccade.models.options import HeadedOptions
from saccade.models.registry import Vocabulary, preset
from saccade.models.seq2seq import Seq2Seq


class TransformerOptions(HeadedOptions):
    """Everything about a Transformer translator that a recipe can set under ``model``."""

    encoder_layers: int = Field(6, gt=0, description="layers that read the source")
    decoder_layers: int = Field(6, gt=0, description="layers that write the target")
    ff_dim: int = Field(2048, gt=0, description="inner width of the feed-forward layers")
    dropout: float = Field(0.1, ge=0, lt=1, description="dropout of embeddings and of what each sublayer adds")
    ff_dropout: float = Field(0.0, ge=0, lt=1, description="dropout inside the feed-forward layers; the paper has none")
    attention_dropout: float = Field(
        0.0, ge=0, lt=1, description="dropout of attention weights; slows training on CPUs"
    )
    norm: NormPlace = Field("post", description="layer norm before (pre) or after (post) each sublayer")
    activation: Activation = Field("relu", description="non-linearity of the feed-forward layers")
    score: ScoreName = Field("scaled-dot", description="similarity of query and key")
    positions: PositionName = Field("sinusoidal", description="positional encoding")
    combine: Combine = Field("add", description="positions are added to token vectors or concatenated with them")
    max_length: int = Field(1024, gt=0, description="longest text that learned positions allow, in tokens")
    window: int | None = Field(
        None, gt=0, description="self-attention reaches this many positions to each side; null: everywhere"
    )
    experts: int | None = Field(
        None,
        gt=2,
        description="feed-forward networks in every layer, of which a token uses a few; null: one for all",
    )
    experts_used: int = Field(2, ge=2, description="experts that a token uses; fewer than there are")
    balance: float = Field(0.01, ge=0, description="weight of the loss that keeps all experts in use")
    embeddings: Sharing = Field("shared", description=SHARING)

    @field_validator("experts_used")
    @classmethod
    def _fewer_than_there_are(cls, used: int, info: ValidationInfo) -> int:
        experts = info.data.get("experts")
        if experts is not None and used >= experts:
            raise PydanticCustomError(
                "experts_used",
                "{used} of {experts} experts is no choice: set fewer than model.experts",
                {"used": used, "experts": experts},
            )
        return used

    @field_validator("combine")
    @classmethod
    def _has_positions(cls, combine: str, info: ValidationInfo) -> str:
        if combine == "concatenate" and info.data.get("positions") == "none":
            raise PydanticCustomError("combine", "there are no positions to concatenate: model.positions is none")
        return combine

    @field_validator("embeddings")
    @classmethod
    def _fits_concatenation(cls, embeddings: str, info: ValidationInfo) -> str:
        if info.data.get("combine") == "concatenate" and embeddings != "separate":
            raise PydanticCustomError(
                "embeddings",
                "model.combine concatenate makes token vectors narrower than the model, so the output cannot share "
                "them: set model.embeddings=separate",
            )
        return embeddings


def transformer(options: TransformerOptions, vocabulary: Vocabulary) -> Seq2Seq:
    """Puts a translator together from its options."""
    shape = BlockShape(
        dim=options.dim,
        heads=options.heads,
        ff_dim=options.ff_dim,
        dropout=options.dropout,
        ff_dropout=options.ff_dropout,
        attention_dropout=options.attention_dropout,
        norm=options.norm,
        activation=options.activation,
        score=options.score,
        window=options.window,
        experts=options.experts,
        experts_used=options.experts_used,
        balance=options.balance,
    )

    embeddings = make_embeddings(
        vocabulary,
        dim=options.dim,
        dropout=options.dropout,
        sharing=options.embeddings,
        positions=options.positions,
        combine=options.combine,
        max_length=options.max_length,
    )
    return Seq2Seq(
        source_embedding=embeddings.source,
        target_embedding=embeddings.target,
        encoder=TransformerEncoder(shape, layers=options.encoder_layers),
        decoder=TransformerDecoder(shape, layers=options.decoder_layers),
        output=embeddings.output,
        pad_id=vocabulary.pad_id,
    )


@preset("transformer-tiny", task="translation", build=transformer)
def transformer_tiny() -> TransformerOptions:
    """4+4 layers, dim 128: for small data and quick trials (Wu et al. 2021, "Good for Misconceived Reasons").

    Published 2.6 M parameters; 2,605,568 here, with a shared vocabulary of 10,000. Pre-norm, which needs less warmup.
    """
    return TransformerOptions(dim=128, heads=4, encoder_layers=4, decoder_layers=4, ff_dim=256, dropout=0.1, norm="pre")


@preset("transformer-small", task="translation", build=transformer)
def transformer_small() -> TransformerOptions:
    """3+3 layers, dim 256: a translator for one afternoon on two cores.

    7,578,624 parameters with a shared vocabulary of 8,000.
    """
    return TransformerOptions(
        dim=256, heads=4, encoder_layers=3, decoder_layers=3, ff_dim=1024, dropout=0.1, norm="pre"
    )


@preset("transformer-base", task="translation", build=transformer)
def transformer_base() -> TransformerOptions:
    """6+6 layers, dim 512: the base model of "Attention Is All You Need" (Vaswani et al. 2017, table 3).

    Published 65 M parameters; 63,082,496 here, with a shared vocabulary of 37,000.
    """
    return TransformerOptions(dim=512, heads=8, encoder_layers=6, decoder_layers=6, ff_dim=2048, dropout=0.1)


@preset("transformer-big", task="translation", build=transformer)
def transformer_big() -> TransformerOptions:
    """6+6 layers, dim 1024: the big model of "Attention Is All You Need" (Vaswani et al. 2017, table 3).

    Published 213 M parameters; 214,245,376 here, with a shared vocabulary of 37,000.
    """
    return TransformerOptions(dim=1024, heads=16, encoder_layers=6, decoder_layers=6, ff_dim=4096, dropout=0.3)


@preset("transformer-moe", task="translation", build=transformer)
def transformer_moe() -> TransformerOptions:
    """3+3 layers, dim 128, in each 8 experts, of which a token uses 2 (Shazeer et al. 2017, "Outrageously Large").

    4,780,800 parameters with a shared vocabulary of 8,000; for each token the work of a feed-forward layer of 512.
    """
    return TransformerOptions(
        dim=128, heads=4, encoder_layers=3, decoder_layers=3, ff_dim=256, dropout=0.1, norm="pre", experts=8
    )


@preset("transformer-local", task="translation", build=transformer)
def transformer_local() -> TransformerOptions:
    """3+3 layers, dim 128; self-attention sees 4 positions to each side (Vaswani et al. 2017, restricted, table 1).

    2,413,056 parameters with a shared vocabulary of 8,000. Work and memory of self-attention grow as r·n instead of n².
    """
    return TransformerOptions(
        dim=128, heads=4, encoder_layers=3, decoder_layers=3, ff_dim=512, dropout=0.1, norm="pre", window=4
    )
