"""What a recipe may say under ``data``."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from saccade.recipe.messages import show
from saccade.recipe.section import Count, Section, Word


def _texts(given: object) -> object:
    """One text, or a list of at least one: a list becomes a tuple, so that sections stay unchangeable."""
    if isinstance(given, str) and given.strip():
        return given
    if isinstance(given, list | tuple) and given and all(isinstance(text, str) and text.strip() for text in given):
        return tuple(given)
    raise PydanticCustomError(
        "texts", "expected a text or a list of texts, none of them empty, got {given}", {"given": show(given)}
    )


Texts = Annotated[str | tuple[str, ...], BeforeValidator(_texts)]

BackboneName = Literal[
    "resnet18", "resnet34", "resnet50", "vgg16", "efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"
]


class DataSection(Section):
    """The texts or pictures to learn from and those to measure on."""

    train: Texts = Field(
        description="Training data, or a list of them. Pairs for translation: a file (.tsv, .csv, .jsonl, .parquet, "
        ".po, .tmx), two parallel files such as corpus/train.{en,de}, hub:owner/name, scenes:en-fr; all.tmx:{en,de} "
        "also says which languages or columns to read. Running text for language models: a .txt file, python:topics "
        "(Python's own reference). Labelled texts: a .tsv, .csv, .jsonl or .parquet file, glue:sst-2:FOLDER; to be "
        "tagged: a file with a word and its tag on each line. Pictures: a folder with a subfolder for every class, a "
        ".parquet, .csv, .tsv or .jsonl file. Captioned pictures: such a file, flickr8k:FOLDER, "
        "coco:ANNOTATIONS.json:FOLDER, scenes:captions. Relative paths start from the working directory, not "
        "from the recipe's folder.",
        examples=["my.tsv"],
    )
    valid: Texts | None = Field(
        default=None, description="Validation data, given like train; without it a share of train is held out."
    )
    test: Word | None = Field(default=None, description="Test data, given like train; never used in training.")
    source: Word | None = Field(
        default=None, description="Language or column to translate from; without it the first one of the data."
    )
    target: Word | None = Field(
        default=None, description="Language or column to translate into; without it the second one of the data."
    )
    tag: Literal["target"] | None = Field(
        default=None,
        description="target puts a token such as <2fr> before every source, so that one model learns all directions "
        "of train and can be asked for others; null trains one direction.",
    )
    holdout: float = Field(
        default=0.02, gt=0, lt=0.5, description="Share of train held out for validation when valid is absent."
    )
    max_length: Count = Field(
        default=250, description="Most tokens on either side; longer pairs are dropped from training and counted."
    )
    max_characters: Count = Field(
        default=5000, description="Most characters on either side; longer pairs are dropped from training and counted."
    )
    max_ratio: float | None = Field(
        default=9.0,
        ge=1,
        description="Most times that one side may be longer than the other, in characters; null keeps every pair.",
    )

    documents: Literal["blank-line", "line", "file"] = Field(
        default="blank-line",
        description="Where a document of running text ends: at a blank line, at every line, or with its file. "
        "Documents are held out whole, and each begins anew in evaluation.",
    )
    context: Count = Field(
        default=128, description="Tokens of a row of running text: how far back a language model learns to look."
    )

    sentences: Literal["line", "punctuation"] = Field(
        default="line",
        description="Where a sentence of a document ends, for BERT's pairs: at every line, or at . ! and ?, however "
        "lines are broken.",
    )

    text: Word | None = Field(
        default=None,
        description="Column or key with the text of labelled data; without it customary names are looked for. Numbers, "
        "from 1, are for a table without a header.",
    )
    second: Word | None = Field(default=None, description="Column or key with the second text of a pair.")
    label: Word | None = Field(default=None, description="Column or key with the label, or with the number to find.")
    tags: Literal["entities", "plain"] = Field(
        default="entities",
        description="What is tagged: entities, in BIO or IOB1, or each word for itself (plain), such as parts of "
        "speech.",
    )

    picture: Word | None = Field(
        default=None,
        description="Column or key with the picture or its path; without it customary names are looked for.",
    )
    pixels: Count | None = Field(
        default=None,
        description="Side in pixels of the square that every picture becomes; null means the model's own size, and for "
        "a model that takes any size 32 with a small stem, else 224; for a captioner 64, with a backbone the "
        "backbone's own. A larger one gives it a finer grid of places.",
    )
    fit: Literal["crop", "squash"] = Field(
        default="crop",
        description="How a picture becomes a square: crop takes the largest one from its middle, squash takes all of "
        "the picture and gives up its proportions.",
    )

    caption: Word | None = Field(
        default=None, description="Column or key with the caption; without it customary names are looked for."
    )
    backbone: BackboneName | None = Field(
        default=None,
        description="A frozen CNN that looks at every picture once; what it sees is kept in a cache for all runs. null "
        "gives the captioner the pixels, and it learns a CNN of its own.",
    )
    weights: Word | None = Field(
        default=None,
        description="File with the backbone's weights, in torchvision's layout; null takes those of an installed "
        "package.",
    )
    regions: Word | None = Field(
        default=None,
        description="File that says which words speak of which boxes in the pictures (Flickr30k Entities as JSON "
        "lines); scenes know that of themselves.",
    )

    @property
    def train_sources(self) -> tuple[str, ...]:
        """``train`` as a tuple, whether one text or a list was given."""
        return (self.train,) if isinstance(self.train, str) else self.train

    @property
    def valid_sources(self) -> tuple[str, ...]:
        """``valid`` as a tuple; empty where a share of train is held out."""
        return (self.valid,) if isinstance(self.valid, str) else self.valid or ()

    @field_validator("target")
    @classmethod
    def _target_is_not_source(cls, target: str | None, info: ValidationInfo) -> str | None:
        if target is not None and target == info.data.get("source"):
            raise PydanticCustomError("same", "the same as data.source; expected the other side of the pairs")
        return target
