"""GPT: the Transformer that only writes (Radford et al. 2018), with the details of GPT-2 (Radford et al. 2019)."""

import math
from typing import Literal, cast

from pydantic import Field
from torch import nn

from saccade.attention import Positions
from saccade.layers import Activation, FeedForward, TokenEmbedding, TransformerStack
from saccade.layers.blocks import BlockShape, EncoderBlock
from saccade.models.language_model import LanguageModel
from saccade.models.options import HeadedOptions
from saccade.models.registry import Vocabulary, preset

STD = 0.02  # of all weights in the beginning


class GptOptions(HeadedOptions):
    """Everything about a GPT that a recipe can set under ``model``."""

    dim: int = Field(768, gt=0, description="width of every layer; divisible by heads")
    heads: int = Field(12, gt=0, description="attention heads in every layer")
    layers: int = Field(12, gt=0, description="layers on top of each other")
    ff_dim: int | None = Field(None, gt=0, description="inner width of the feed-forward layers; null: 4 × dim")
    max_length: int = Field(1024, gt=0, description="the context: longest text that the positions allow, in tokens")
    dropout: float = Field(0.1, ge=0, lt=1, description="dropout of embeddings and of what each sublayer adds")
    attention_dropout: float = Field(
        0.0, ge=0, lt=1, description="dropout of attention weights; slows training on CPUs"
    )
    activation: Activation = Field("gelu-tanh", description="non-linearity of the feed-forward layers")
    bias: bool = Field(True, description="whether projections and norms add a learned vector")
    embeddings: Literal["tied", "separate"] = Field(
        "tied", description="tied: one matrix for reading and writing; separate: two"
    )


def gpt(options: GptOptions, vocabulary: Vocabulary) -> LanguageModel:
    """Puts a language model together from its options."""
    shape = BlockShape(
        dim=options.dim,
        heads=options.heads,
        ff_dim=options.ff_dim or 4 * options.dim,
        dropout=options.dropout,
        attention_dropout=options.attention_dropout,
        norm="pre",
        bias=options.bias,
        activation=options.activation,
    )
    embedding = TokenEmbedding(
        vocab_size=vocabulary.target,
        dim=options.dim,
        positions=Positions(dim=options.dim, kind="learned", max_length=options.max_length),
        dropout=options.dropout,
        scaled=False,
    )
    output = nn.Linear(options.dim, vocabulary.target, bias=False)
    if options.embeddings == "tied":
        output.weight = embedding.tokens.weight
    model = LanguageModel(embedding=embedding, decoder=TransformerStack(shape, layers=options.layers), output=output)
    _begin(model, layers=options.layers)
    return model


def _begin(model: LanguageModel, *, layers: int) -> None:
    """GPT-2's first weights: N(0, 0.02²).

    What writes into the residual stream, twice in each layer, is smaller by 1/√(2·layers), so that the sum of all of it
    does not grow with depth.
    """
    for parameter in model.parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=STD)
    for block in cast(TransformerStack, model.decoder).layers:
        for writing in _writing(cast(EncoderBlock, block)):
            nn.init.normal_(writing.weight, std=STD / math.sqrt(2 * layers))


def _writing(block: EncoderBlock) -> tuple[nn.Linear, nn.Linear]:
    """The projections whose output is added to the residual stream."""
    return block.self_attention.out, cast(FeedForward, block.feed_forward).outer


@preset("gpt-mini", task="language-model", build=gpt)
def gpt_mini() -> GptOptions:
    """4 layers, 4 heads, dim 128: a GPT that learns in minutes on two cores (Karpathy's nanoGPT, its CPU setting).

    1,850,112 parameters with a vocabulary of 8,000.
    """
    return GptOptions(dim=128, heads=4, layers=4, max_length=256, dropout=0.0)


@preset("gpt2", task="language-model", build=gpt)
def gpt2() -> GptOptions:
    """12 layers, dim 768: the smallest GPT-2 (Radford et al. 2019, "Language Models are … Multitask Learners").

    124,439,808 parameters with a vocabulary of 50,257.
    """
    return GptOptions(attention_dropout=0.1)


@preset("gpt2-medium", task="language-model", build=gpt)
def gpt2_medium() -> GptOptions:
    """24 layers, dim 1024: the medium GPT-2 (Radford et al. 2019).

    354,823,168 parameters with a vocabulary of 50,257.
    """
    return GptOptions(dim=1024, heads=16, layers=24, attention_dropout=0.1)


@preset("gpt2-large", task="language-model", build=gpt)
def gpt2_large() -> GptOptions:
    """36 layers, dim 1280: the large GPT-2 (Radford et al. 2019).

    774,030,080 parameters with a vocabulary of 50,257.
    """
    return GptOptions(dim=1280, heads=20, layers=36, attention_dropout=0.1)


@preset("gpt2-xl", task="language-model", build=gpt)
def gpt2_xl() -> GptOptions:
    """48 layers, dim 1600: the largest GPT-2 (Radford et al. 2019).

    1,557,611,200 parameters with a vocabulary of 50,257.
    """
    return GptOptions(dim=1600, heads=25, layers=48, attention_dropout=0.1)
