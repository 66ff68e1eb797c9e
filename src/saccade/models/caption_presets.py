"""The captioners and their presets."""

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field
from torch import nn

from saccade.attention import Choose, Keep, Positions
from saccade.errors import ModelError
from saccade.layers import (
    CellName,
    PixelGrid,
    PlaceEmbedding,
    PlaceEncoder,
    RecurrentDecoder,
    TokenEmbedding,
    TransformerDecoder,
    TransformerEncoder,
    WholeEncoder,
)
from saccade.layers.blocks import BlockShape
from saccade.layers.patches import Patches
from saccade.models.captioner import Captioner, CaptionParts, HardCaptioner, SoftCaptioner, TransformerCaptioner
from saccade.models.options import HeadedOptions
from saccade.models.registry import GridShape, PixelShape, Vocabulary, preset

TASK = "captioning"


class CaptionOptions(BaseModel):
    """What every captioner has."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)
    FREE: ClassVar[frozenset[str]] = frozenset({"dropout"})

    dim: int = Field(512, gt=0, description="width of embeddings, states and attention")
    dropout: float = Field(0.3, ge=0, lt=1, description="dropout of embeddings, of places and of what layers add")


class CnnOptions(CaptionOptions):
    """What captioners have that look at a CNN's grid: its features, or, without data.backbone, a CNN of their own."""

    cnn_width: int = Field(32, gt=0, multiple_of=8, description="own CNN: channels of its first stage")
    cnn_stages: int = Field(3, gt=0, description="own CNN: stages; each but the first halves the grid")
    cnn_patch: int = Field(2, gt=0, description="own CNN: side in pixels of the patches that the first stage sees")


class RecurrentCaptionOptions(CnnOptions):
    """Everything about a recurrent captioner that a recipe can set under ``model``."""

    FREE: ClassVar[frozenset[str]] = CaptionOptions.FREE | {"doubly", "reward", "entropy"}
    cell: CellName = Field("lstm", description="simple: tanh(A·[x; h] + b); gru and lstm have gates")
    attention: Literal["none", "soft", "hard"] = Field(
        "soft", description="none: one vector for the whole picture; soft: a mean of places; hard: one place"
    )
    attention_dim: int | None = Field(
        None, gt=0, description="soft and hard: width in which states and places are compared; null: as wide as dim"
    )
    doubly: float = Field(0.1, ge=0, description="soft: weight of the loss that wants every place looked at once")
    reward: float = Field(0.1, ge=0, description="hard: weight of the reward's gradient")
    entropy: float = Field(0.01, ge=0, description="hard: weight of the attention's entropy, against early decisions")


class StackOptions(CaptionOptions, HeadedOptions):
    """What captioners have that are Transformers."""

    FREE: ClassVar[frozenset[str]] = HeadedOptions.FREE
    dim: int = Field(256, gt=0, description="width of every layer; divisible by heads")
    encoder_layers: int = Field(2, gt=0, description="layers that read the places")
    decoder_layers: int = Field(3, gt=0, description="layers that write the caption")
    ff_dim: int = Field(1024, gt=0, description="inner width of the feed-forward layers")

    @property
    def block(self) -> BlockShape:
        return BlockShape(dim=self.dim, heads=self.heads, ff_dim=self.ff_dim, dropout=self.dropout, norm="pre")


class TransformerCaptionOptions(StackOptions, CnnOptions):
    """Everything about a Transformer captioner that a recipe can set under ``model``."""


class VitCaptionOptions(StackOptions):
    """Everything about a captioner without convolutions that a recipe can set under ``model``."""

    encoder_layers: int = Field(6, gt=0, description="layers that read the patches")
    patch: int = Field(8, gt=0, description="side of a patch in pixels; data.pixels is a multiple of it")


def _cnn_places(options: CnnOptions, vocabulary: Vocabulary) -> nn.Module:
    """(B, G, C) or (B, 3, S, S) → (B, G, E)."""
    shape = vocabulary.picture
    if shape is None:
        raise ModelError("a captioner must know what its pictures are: features of places, or pixels")
    if isinstance(shape, GridShape):
        return _embedding(options, channels=shape.channels, places=shape.places)
    cnn = PixelGrid(width=options.cnn_width, stages=options.cnn_stages, patch=options.cnn_patch)
    return nn.Sequential(cnn, _embedding(options, channels=cnn.channels, places=cnn.side(shape.size) ** 2))


def _patch_places(options: VitCaptionOptions, vocabulary: Vocabulary) -> nn.Module:
    """(B, 3, S, S) → (B, G, E)."""
    shape = vocabulary.picture
    if not isinstance(shape, PixelShape):
        raise ModelError("caption-vit reads pixels, not a CNN's features: leave data.backbone out")
    if shape.size % options.patch:
        raise ModelError(
            f"pictures of {shape.size} pixels cannot be cut into patches of {options.patch}: give data.pixels as a "
            "multiple of model.patch"
        )
    patches = Patches(channels=3, patch=options.patch, dim=options.dim)
    embedding = _embedding(options, channels=options.dim, places=(shape.size // options.patch) ** 2)
    return nn.Sequential(patches, nn.Flatten(1, 2), embedding)


def _embedding(options: CaptionOptions, *, channels: int, places: int) -> PlaceEmbedding:
    return PlaceEmbedding(channels=channels, dim=options.dim, places=places, dropout=options.dropout)


def _words(dim: int, dropout: float, vocabulary: Vocabulary, *, kind: Literal["none", "sinusoidal"]) -> TokenEmbedding:
    return TokenEmbedding(
        vocab_size=vocabulary.target, dim=dim, positions=Positions(dim=dim, kind=kind), dropout=dropout
    )


def _output(embedding: TokenEmbedding) -> nn.Linear:
    output = nn.Linear(embedding.tokens.embedding_dim, embedding.tokens.num_embeddings, bias=False)
    output.weight = embedding.tokens.weight
    return output


def recurrent_captioner(options: RecurrentCaptionOptions, vocabulary: Vocabulary) -> Captioner:
    """Puts a recurrent captioner together from its options."""
    words = _words(options.dim, options.dropout, vocabulary, kind="none")
    within = {"none": None, "soft": Keep(), "hard": Choose()}[options.attention]
    parts = CaptionParts(
        places=_cnn_places(options, vocabulary),
        target_embedding=words,
        encoder=WholeEncoder(dim=options.dim) if within is None else PlaceEncoder(dim=options.dim),
        decoder=RecurrentDecoder(
            dim=options.dim,
            layers=1,
            cell=options.cell,
            attention=None if options.attention == "none" else "additive",
            dropout=options.dropout,
            gate=options.attention != "none",
            within=within,
            attention_dim=options.attention_dim,
        ),
        output=_output(words),
        pad_id=vocabulary.pad_id,
    )
    if isinstance(within, Keep):
        return SoftCaptioner(parts, kept=within, doubly=options.doubly)
    if isinstance(within, Choose):
        return HardCaptioner(parts, choice=within, reward=options.reward, entropy=options.entropy)
    return Captioner(parts)


def _transformer(
    places: nn.Module, options: TransformerCaptionOptions | VitCaptionOptions, vocabulary: Vocabulary
) -> Captioner:
    words = _words(options.dim, options.dropout, vocabulary, kind="sinusoidal")
    return TransformerCaptioner(
        CaptionParts(
            places=places,
            target_embedding=words,
            encoder=TransformerEncoder(options.block, layers=options.encoder_layers),
            decoder=TransformerDecoder(options.block, layers=options.decoder_layers),
            output=_output(words),
            pad_id=vocabulary.pad_id,
        )
    )


def transformer_captioner(options: TransformerCaptionOptions, vocabulary: Vocabulary) -> Captioner:
    """Puts a captioner of a CNN's grid and a Transformer together from its options."""
    return _transformer(_cnn_places(options, vocabulary), options, vocabulary)


def vit_captioner(options: VitCaptionOptions, vocabulary: Vocabulary) -> Captioner:
    """Puts a captioner without convolutions together from its options."""
    return _transformer(_patch_places(options, vocabulary), options, vocabulary)


@preset("caption-rnn", task=TASK, build=recurrent_captioner)
def caption_rnn() -> RecurrentCaptionOptions:
    """CNN and RNN with one vector between them (Vinyals et al. 2015, "Show and Tell").

    8,780,800 parameters with a vocabulary of 3,000 and 7 × 7 places of width 1,280.
    """
    return RecurrentCaptionOptions(attention="none")


@preset("caption-soft", task=TASK, build=recurrent_captioner)
def caption_soft() -> RecurrentCaptionOptions:
    """A new mean of all places for every word (Xu et al. 2015, "Show, Attend and Tell", soft attention).

    7,468,545 parameters with a vocabulary of 3,000 and 7 × 7 places of width 1,280.
    """
    return RecurrentCaptionOptions(attention="soft")


@preset("caption-hard", task=TASK, build=recurrent_captioner)
def caption_hard() -> RecurrentCaptionOptions:
    """One place for every word, learned by its reward (Xu et al. 2015, hard attention).

    7,468,546 parameters with a vocabulary of 3,000 and 7 × 7 places of width 1,280.
    """
    return RecurrentCaptionOptions(attention="hard")


@preset("caption-transformer", task=TASK, build=transformer_captioner)
def caption_transformer() -> TransformerCaptionOptions:
    """A CNN's grid, read by a Transformer's encoder and told by its decoder.

    5,849,856 parameters with a vocabulary of 3,000 and 7 × 7 places of width 1,280.
    """
    return TransformerCaptionOptions()


@preset("caption-vit", task=TASK, build=vit_captioner)
def caption_vit() -> VitCaptionOptions:
    """Pixels to words without a convolution: patches, a Transformer's encoder and its decoder.

    8,800,000 parameters with a vocabulary of 3,000 and pictures of 64 pixels.
    """
    return VitCaptionOptions()
