"""What a recipe can set of a BERT."""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from saccade.models.layer_choice import Combine
from saccade.models.options import HeadedOptions

Layers = Annotated[
    str, BeforeValidator(lambda said: str(said) if type(said) is int else said, json_schema_input_type=str | int)
]
"""As ``LayerChoice`` parses them; a single number is one for YAML too."""


class BertOptions(HeadedOptions):
    """Everything about a BERT that a recipe can set under ``model``."""

    FREE: ClassVar[frozenset[str]] = HeadedOptions.FREE | {"pool", "read", "combine", "head", "frozen"}

    dim: int = Field(768, gt=0, description="width of every layer; divisible by heads")
    heads: int = Field(12, gt=0, description="attention heads in every layer")
    layers: int = Field(12, gt=0, description="layers on top of each other")
    ff_dim: int = Field(3072, gt=0, description="inner width of the feed-forward layers")
    dropout: float = Field(0.1, ge=0, lt=1, description="dropout of embeddings and of what each sublayer adds")
    attention_dropout: float = Field(
        0.1, ge=0, lt=1, description="dropout of attention weights; slows training on CPUs"
    )
    max_length: int = Field(512, gt=0, description="longest text that the learned positions allow, in tokens")
    eps: float = Field(1e-12, gt=0, description="layer norm's term against division by zero")

    pool: Literal["first", "mean", "both", "apart"] = Field(
        "first",
        description="what a classifier reads of a text: its first token, through one more layer; the mean of all; or, "
        "of a pair, the means of both texts, and compares them: read together (both), or each for itself (apart)",
    )
    read: Layers = Field(
        "last", description="layers that the answer is read from: last, last4, all, or numbers such as -1,-2"
    )
    combine: Combine = Field("sum", description="how several layers are put together")
    head: Literal["linear", "lstm"] = Field(
        "linear", description="what a tagger puts on top: one linear layer, or two LSTM layers in both directions first"
    )
    frozen: bool = Field(False, description="a tagger leaves the body as it is and learns its head alone")
