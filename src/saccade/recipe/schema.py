"""What a recipe may say: every key with its type, bounds, default and description, each written once.

The command line's help, the reference page and the JSON schema are generated from these classes.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from saccade.recipe.amount import Amount
from saccade.recipe.messages import show

OptionValue = bool | int | float | str | None

_NOT_IN_NAMES = re.compile(r"[/\\\x00-\x1f]")


class Section(BaseModel):
    """A part of a recipe: it never changes, and refuses the keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)


def _texts(given: object) -> object:
    """One text, or a list of at least one: a list becomes a tuple, so that sections stay unchangeable."""
    if isinstance(given, str) and given.strip():
        return given
    if isinstance(given, list | tuple) and given and all(isinstance(text, str) and text.strip() for text in given):
        return tuple(given)
    raise PydanticCustomError(
        "texts", "expected a text or a list of texts, none of them empty, got {given}", {"given": show(given)}
    )


def _single(given: object) -> object:
    if given is None or isinstance(given, bool | int | float | str):
        return given
    raise PydanticCustomError("single", "expected a single value; options stand beside preset, one key each")


Texts = Annotated[str | tuple[str, ...], BeforeValidator(_texts)]
Word = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]


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
        "a model that takes any size 32 with a small stem, else 224; for a captioner 64.",
    )
    fit: Literal["crop", "squash"] = Field(
        default="crop",
        description="How a picture becomes a square: crop takes the largest one from its middle, squash takes all of "
        "the picture and gives up its proportions.",
    )

    caption: Word | None = Field(
        default=None, description="Column or key with the caption; without it customary names are looked for."
    )
    backbone: Literal["resnet18", "resnet34", "resnet50", "vgg16", "efficientnet-lite0"] | None = Field(
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


class TrainSection(Section):
    """How the model learns, how long and how it is watched."""

    budget: Amount = Field(
        default=Amount(30, "epochs"),
        description="Length of training in epochs, steps, tokens, flops, minutes or hours.",
    )
    batch_tokens: Count | None = Field(
        default=None,
        description="Most tokens in a batch on either side, padding included; null means 4,096, or fewer for small "
        "data, so that an epoch has at least 20 batches.",
    )
    batch_pictures: Count | None = Field(
        default=None,
        description="Pictures in a batch; null means 128, or fewer for small data, down to 8, so that an epoch has at "
        "least 20 batches.",
    )
    accumulate: Count = Field(default=1, description="Batches whose gradients are summed into one step.")
    optimizer: Literal["adam", "adamw", "muon"] = Field(
        default="adamw", description="Optimiser; muon takes AdamW for embeddings and vectors."
    )
    lr: float = Field(default=1e-3, gt=0, description="Highest learning rate, reached at the end of the warm-up.")
    betas: tuple[Annotated[float, Field(ge=0, lt=1)], Annotated[float, Field(ge=0, lt=1)]] = Field(
        default=(0.9, 0.98), description="Adam's decay rates of the first and second moment."
    )
    eps: float = Field(default=1e-9, gt=0, description="Adam's term against division by zero.")
    weight_decay: float = Field(default=0.0, ge=0, description="Weight decay: L2 with adam, else decoupled.")
    schedule: Literal["inverse-sqrt", "linear", "cosine", "constant"] = Field(
        default="inverse-sqrt", description="How the learning rate goes on after the warm-up."
    )
    warmup: Annotated[int, Field(ge=0)] | None = Field(
        default=None,
        description="Steps in which the learning rate rises from 0 to lr; null means a tenth of the budget, at most "
        "1,000 steps.",
    )
    label_smoothing: float = Field(
        default=0.1,
        ge=0,
        lt=1,
        description="Probability taken from the right token and spread over the vocabulary, or over the labels. This "
        "is the default of translators and of classifiers of pictures; that of all others is 0.",
    )
    bpe_dropout: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        description="Probability with which a BPE token of the training text is split into the two it was merged from, "
        "and those again.",
    )
    consistency: float = Field(
        default=0.0,
        ge=0,
        description="R-Drop's α: every pair, or labelled text, goes through the model twice, with other dropout each "
        "time, and pays for the difference between the two answers; 5 is usual for translation, 1 for labels, 0 means "
        "one pass.",
    )
    augment: Literal["none", "light", "strong"] = Field(
        default="light",
        description="How training pictures are varied: light moves them by up to an eighth of their side and changes "
        "left and right in half of them; strong also turns, shears and recolours them (RandAugment) and hides a part.",
    )
    mix: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Probability that the pictures of a batch, and their labels alike, are mixed with each other: by "
        "Mixup or Cutmix, each in half of the cases.",
    )
    equalize: Word | None = Field(
        default=None,
        description="Groups of words that must not be told from the surroundings: gendered, or a JSON file with words "
        "by group. Needs boxes of what these words speak of (data.regions, or scenes); null learns from the captions "
        "alone.",
    )
    confusion: float = Field(
        default=10.0, ge=0, description="Equalizing: weight of preferring no group where the person is painted over."
    )
    confident: float = Field(
        default=1.0, ge=0, description="Equalizing: weight of saying the true group where the person is in view."
    )
    hidden: float = Field(default=0.15, gt=0, lt=1, description="Share of the words that BERT must find.")
    pairs: Literal["next-sentence", "sentence-order"] = Field(
        default="next-sentence",
        description="What BERT must tell of two texts: whether the second follows the first or comes from elsewhere, "
        "or whether they were swapped.",
    )
    reward: Literal["bleu", "gleu"] | None = Field(
        default=None,
        description="Score of sampled translations to learn from beside the likelihood, with --init-from; null: none.",
    )
    reward_share: float = Field(
        default=0.9, gt=0, le=1, description="Share of the reward in the loss; the rest is the likelihood's."
    )
    reward_samples: Annotated[int, Field(ge=2)] = Field(
        default=5, description="Translations drawn for each source; they are each other's standard of comparison."
    )
    clip: Annotated[float, Field(gt=0)] | None = Field(
        default=1.0, description="Largest norm of the gradient; null does not clip."
    )
    average: Count = Field(default=1, description="Last checkpoints whose weights are averaged; 1 does not average.")
    validate_every: Amount = Field(default=Amount(1, "epochs"), description="Training between two validations.")
    save_every: Amount = Field(
        default=Amount(5, "minutes"), description="Training between two checkpoints, which resume starts from."
    )
    patience: Count | None = Field(
        default=None, description="Validations in a row without a better score that end training; null never does."
    )
    metric: Literal["bleu", "chrf", "cider", "accuracy", "f1", "matthews", "pearson", "spearman", "loss"] = Field(
        default="bleu",
        description="Validation score that chooses the best weights: bleu, chrf and cider (of captions) decode text; "
        "accuracy, f1 and matthews are of classes, accuracy also of plain tags and f1 of entities, pearson and "
        "spearman of numbers. Each task has its default; that of language models is loss.",
    )
    valid_sentences: Count = Field(
        default=500, description="Most validation sentences or pictures for which text is decoded and scored."
    )
    precision: Literal["float32", "bfloat16"] = Field(default="float32", description="Numbers of the forward pass.")
    threads: Count | None = Field(default=None, description="CPU threads; null chooses them for the machine.")
    workers: Count | None = Field(
        default=None,
        description="Processes that share each batch, and the threads; null means one for each thread, but none for "
        "less than 512 tokens or 16 pictures, and one in all for models with batch norms, which look at a whole batch.",
    )
    tensorboard: bool = Field(default=False, description="Write TensorBoard files into the run folder as well.")
    log_every: Count = Field(default=50, description="Steps between two lines of metrics.jsonl.")

    @field_validator("warmup")
    @classmethod
    def _inverse_sqrt_needs_a_peak(cls, warmup: int | None, info: ValidationInfo) -> int | None:
        if warmup == 0 and info.data.get("schedule") == "inverse-sqrt":
            raise PydanticCustomError(
                "warmup",
                "must be at least 1 with train.schedule inverse-sqrt, which decays from the warm-up's last step",
            )
        return warmup


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
