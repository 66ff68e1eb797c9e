"""What a recipe may say: every key with its type, bounds, default and description, each written once.

The command line's help, the reference page and the JSON schema are generated from these classes.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from saccade.recipe.data_section import DataSection
from saccade.recipe.section import Count, Section, Word
from saccade.recipe.train_section import TrainSection

OptionValue = bool | int | float | str | None

_NOT_IN_NAMES = re.compile(r"[/\\\x00-\x1f]")


def _single(given: object) -> object:
    if given is None or isinstance(given, bool | int | float | str):
        return given
    raise PydanticCustomError("single", "expected a single value; options stand beside preset, one key each")


class TokenizerSection(Section):
    """How text is cut into tokens."""

    kind: Literal["bpe", "wordpiece", "unigram", "characters", "words", "bert"] = Field(
        default="bpe",
        description="Method; bpe, wordpiece and unigram learn pieces of words from the training text, bert does so in "
        "BERT's own way.",
    )
    size: Annotated[int, Field(ge=8)] | None = Field(
        default=None, description="Tokens in the vocabulary; null means 8,000 or as many as the text allows."
    )
    shared: bool = Field(default=True, description="One vocabulary for both sides instead of one for each.")
    lowercase: bool = Field(default=False, description="Lower-case all text before it is cut.")


class ModelSection(Section):
    """The model: a preset, and beside it any of that preset's options."""

    # The options belong to the preset, which this room does not know: load() checks them against ``models``.
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[OptionValue, BeforeValidator(_single)]]

    preset: Word = Field(description="A registered model with its sizes.", examples=["transformer-tiny"])

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """The options given beside ``preset``; all of the preset's options once the recipe is resolved."""
        return MappingProxyType(self.__pydantic_extra__)


class DecodeSection(Section):
    """How text is made with the trained model, unless a command says otherwise."""

    beam: Count = Field(default=5, description="Hypotheses kept at each step; 1 is greedy.")
    length_penalty: float = Field(
        default=1.0, ge=0, description="Power of the length that a hypothesis' score is divided by; 0 does not divide."
    )
    max_length: Count | None = Field(
        default=None, description="Most tokens of an output; null allows 2 × source tokens + 10."
    )
    batch_tokens: Count = Field(default=8192, description="Most source tokens decoded at once, padding included.")
    nbest: Count = Field(default=1, description="Hypotheses returned for each source; at most beam.")
    consensus: bool = Field(
        default=False,
        description="Put first, of the beam's hypotheses, not the likeliest but the one that is most like all of them, "
        "each counted by its probability under the length penalty (minimum Bayes risk). decode.beam=20 gives it a "
        "choice, decode.length_penalty=0 suits it, more a captioner that was refined by a reward.",
    )
    replace_unknown: bool = Field(
        default=False,
        description="Write, for a word that tokenizer.kind words does not know, the source word that cross-attention "
        "looked at most.",
    )

    @field_validator("nbest")
    @classmethod
    def _beam_holds_nbest(cls, nbest: int, info: ValidationInfo) -> int:
        beam = info.data.get("beam")
        if beam is not None and nbest > beam:
            raise PydanticCustomError(
                "nbest", "{nbest} hypotheses from a beam of {beam}; raise decode.beam", {"nbest": nbest, "beam": beam}
            )
        return nbest


class Recipe(Section):
    """Everything that makes a run what it is."""

    name: Word = Field(
        default="recipe", description="Name of the run; without it the name of the recipe's file, less its ending."
    )
    task: Literal[
        "translation",
        "language-model",
        "masked-language-model",
        "classification",
        "regression",
        "tagging",
        "picture-classification",
        "captioning",
    ] = Field(description="What the model is trained to do.", examples=["translation"])
    seed: int = Field(
        default=1, ge=0, le=2**32 - 1, description="Start of every random number: weights, order of the data, dropout."
    )
    data: DataSection = Field(description="The texts or pictures to learn from and those to measure on.")
    tokenizer: TokenizerSection = Field(default_factory=TokenizerSection, description="How text is cut into tokens.")
    model: ModelSection = Field(description="The model: a preset, and beside it any of that preset's options.")
    train: TrainSection = Field(
        default_factory=TrainSection, description="How the model learns, how long and how it is watched."
    )
    decode: DecodeSection = Field(
        default_factory=DecodeSection,
        description="How text is made with the trained model, unless a command says otherwise.",
    )

    @field_validator("name")
    @classmethod
    def _name_names_a_folder(cls, name: str) -> str:
        if _NOT_IN_NAMES.search(name) or not name.strip(" ."):
            raise PydanticCustomError("name", "expected a name that can be a folder's: no slashes, not only dots")
        return name
