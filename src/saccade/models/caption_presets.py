"""The captioners and their presets."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from torch import nn

from saccade.attention import Choose, Keep, Positions
from saccade.errors import ModelError
from saccade.layers import (
    CellName,
    PlaceEmbedding,
    PlaceEncoder,
    RecurrentDecoder,
    TokenEmbedding,
    TransformerDecoder,
    TransformerEncoder,
)
from saccade.layers.transformer import BlockShape
from saccade.models.captioner import Captioner, HardCaptioner, SoftCaptioner
from saccade.models.registry import PictureShape, Vocabulary, preset

TASK = "captioning"


class RecurrentCaptionOptions(BaseModel):
    """Everything about a recurrent captioner that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    dim: int = Field(512, gt=0, description="width of embeddings, states and attention")
    cell: CellName = Field("lstm", description="simple: tanh(A·[x; h] + b); gru and lstm have gates")
    attention: Literal["none", "soft", "hard"] = Field(
        "soft", description="none: one vector for the whole picture; soft: a mean of places; hard: one place"
    )
    dropout: float = Field(0.3, ge=0, lt=1, description="dropout of embeddings, of places and of the output")
    doubly: float = Field(1.0, ge=0, description="soft: weight of the loss that wants every place looked at once")
    reward: float = Field(0.1, ge=0, description="hard: weight of the reward's gradient")
    entropy: float = Field(0.01, ge=0, description="hard: weight of the attention's entropy, against early decisions")


class TransformerCaptionOptions(BaseModel):
    """Everything about a Transformer captioner that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    dim: int = Field(256, gt=0, description="width of every layer; divisible by heads")
    heads: int = Field(8, gt=0, description="attention heads in every layer")
    encoder_layers: int = Field(2, gt=0, description="layers that read the places")
    decoder_layers: int = Field(3, gt=0, description="layers that write the caption")
    ff_dim: int = Field(1024, gt=0, description="inner width of the feed-forward layers")
    dropout: float = Field(0.2, ge=0, lt=1, description="dropout of embeddings and of what each sublayer adds")


def _shape(vocabulary: Vocabulary) -> PictureShape:
    if vocabulary.picture is None:
        raise ModelError("a captioner must know the grid of its pictures: how many places, and how wide their vectors")
    return vocabulary.picture


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
    shape = _shape(vocabulary)
    words = _words(options.dim, options.dropout, vocabulary, kind="none")
    within = {"none": None, "soft": Keep(), "hard": Choose()}[options.attention]
    parts = {
        "places": PlaceEmbedding(channels=shape.channels, dim=options.dim, places=None, dropout=options.dropout),
        "target_embedding": words,
        "encoder": PlaceEncoder(dim=options.dim),
        "decoder": RecurrentDecoder(
            dim=options.dim,
            layers=1,
            cell=options.cell,
            attention=None if options.attention == "none" else "additive",
            dropout=options.dropout,
            gate=options.attention != "none",
            within=within,
        ),
        "output": _output(words),
        "pad_id": vocabulary.pad_id,
    }
    if isinstance(within, Keep):
        return SoftCaptioner(kept=within, doubly=options.doubly, **parts)
    if isinstance(within, Choose):
        return HardCaptioner(choice=within, reward=options.reward, entropy=options.entropy, **parts)
    return Captioner(**parts)


def transformer_captioner(options: TransformerCaptionOptions, vocabulary: Vocabulary) -> Captioner:
    """Puts a Transformer captioner together from its options."""
    shape = _shape(vocabulary)
    words = _words(options.dim, options.dropout, vocabulary, kind="sinusoidal")
    block = BlockShape(dim=options.dim, heads=options.heads, ff_dim=options.ff_dim, dropout=options.dropout, norm="pre")
    return Captioner(
        places=PlaceEmbedding(channels=shape.channels, dim=options.dim, places=shape.places, dropout=options.dropout),
        target_embedding=words,
        encoder=TransformerEncoder(block, layers=options.encoder_layers),
        decoder=TransformerDecoder(block, layers=options.decoder_layers),
        output=_output(words),
        pad_id=vocabulary.pad_id,
    )


@preset("caption-rnn", task=TASK, build=recurrent_captioner)
def caption_rnn() -> RecurrentCaptionOptions:
    """CNN and RNN with one vector between them (Vinyals et al. 2015, "Show and Tell").

    7,613,440 parameters with a vocabulary of 3,000 and places of width 1,280.
    """
    return RecurrentCaptionOptions(attention="none")


@preset("caption-soft", task=TASK, build=recurrent_captioner)
def caption_soft() -> RecurrentCaptionOptions:
    """A new mean of all places for every word (Xu et al. 2015, "Show, Attend and Tell", soft attention).

    8,140,289 parameters with a vocabulary of 3,000 and places of width 1,280.
    """
    return RecurrentCaptionOptions(attention="soft")


@preset("caption-hard", task=TASK, build=recurrent_captioner)
def caption_hard() -> RecurrentCaptionOptions:
    """One place for every word, learned by its reward (Xu et al. 2015, hard attention).

    8,140,290 parameters with a vocabulary of 3,000 and places of width 1,280.
    """
    return RecurrentCaptionOptions(attention="hard")


@preset("caption-transformer", task=TASK, build=transformer_captioner)
def caption_transformer() -> TransformerCaptionOptions:
    """CNN grid, Transformer encoder and decoder.

    6,000,000 parameters with a vocabulary of 3,000 and 49 places of width 1,280.
    """
    return TransformerCaptionOptions()
