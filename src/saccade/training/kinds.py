"""The tasks by name: how the data of each is made ready, and how the task itself is made from a recipe.

The only place where a recipe's data and tokenizer are taken apart.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

import torch
from torch import nn

from saccade.data.cleaning import CleaningRules
from saccade.data.sources import Columns, PictureColumns
from saccade.errors import RecipeError
from saccade.evaluation.word_groups import WordGroups, word_groups
from saccade.recipe import DecodeSection, Recipe, TrainSection
from saccade.tasks.base import Task
from saccade.tasks.caption_corpus import CaptionCorpus, CaptionSettings, open_caption_corpus, prepare_captions
from saccade.tasks.captioning import CaptionTask
from saccade.tasks.corpus import Corpus, CorpusSettings, load_tokenizers, open_corpus, prepare
from saccade.tasks.equalizing import Equalizing, hidden_words
from saccade.tasks.labelled import ClassificationTask, LabelledTask, RegressionTask, TaggingTask
from saccade.tasks.labelled_corpus import (
    Answer,
    LabelledCorpus,
    LabelledSettings,
    open_labelled_corpus,
    prepare_labelled,
)
from saccade.tasks.language import LanguageTask
from saccade.tasks.language_corpus import LanguageCorpus, LanguageSettings, open_language_corpus, prepare_language
from saccade.tasks.picture_classes import PictureTask
from saccade.tasks.picture_corpus import PictureCorpus, PictureSettings, open_picture_corpus, prepare_pictures
from saccade.tasks.pretraining import PretrainingTask
from saccade.tasks.reward import RewardSettings
from saccade.tasks.sentence_corpus import SentenceCorpus, open_sentence_corpus, prepare_sentences
from saccade.tasks.sight import Sight
from saccade.tasks.translation import TranslationTask
from saccade.tasks.translator import DecodeSettings, Tokenizers
from saccade.tasks.vision import Vision

ANSWERS: dict[str, Answer] = {"classification": "label", "regression": "number", "tagging": "tags"}

SMALL_STEM, LARGE = 32, 224  # pixels, for models that take pictures of any size

Say = Callable[[str], None]
Known = Tokenizers | Sight
"""What a model must have beside its weights to be of use: how it reads texts, or how it sees pictures."""
Data = TypeVar("Data")


class Prepare(Protocol):
    """Makes a recipe's data ready in ``data`` and its tokenizers in ``tokenizers``, unless that was done before.

    For pictures, how they are seen stands for the tokenizers.
    """

    def __call__(
        self,
        recipe: Recipe,
        data: Path,
        tokenizers: Path,
        say: Say,
        *,
        given: Known | None = None,
        first: int | None = None,
    ) -> None:
        """With ``given`` tokenizers none are trained; with ``first`` only so many examples of each source are read."""


@dataclass(frozen=True)
class Kind(Generic[Data]):
    """One task: how its data is prepared, how prepared data is opened and checked, how the task is made of it.

    ``load`` gives what belongs to the weights, from the folder in which ``prepare`` has put it; ``begin`` gives a head
    with fresh weights what is known before any training.
    """

    prepare: Prepare
    open: Callable[[Path, Path], Data]
    make: Callable[[Recipe, Data], Task]
    load: Callable[[Path], Known] = load_tokenizers
    begin: Callable[[Any, nn.Module], None] = lambda task, model: None


def _preparing(
    settings: Callable[[Recipe], Any], make: Callable[..., None], *, sides: Literal["one", "both", "none"] = "one"
) -> Prepare:
    """``make`` with the recipe's settings; tasks with one text have one tokenizer to be given."""

    def prepare(
        recipe: Recipe,
        data: Path,
        tokenizers: Path,
        say: Say,
        *,
        given: Known | None = None,
        first: int | None = None,
    ) -> None:
        known = given.target if sides == "one" and isinstance(given, Tokenizers) else given
        make(data, tokenizers, replace(settings(recipe), first=first), say, given=known)

    return prepare


def _translation(recipe: Recipe, corpus: Corpus) -> TranslationTask:
    return TranslationTask(
        corpus,
        batch_tokens=recipe.train.batch_tokens,
        seed=recipe.seed,
        label_smoothing=recipe.train.label_smoothing,
        decode=decode_settings(recipe.decode),
        valid_sentences=recipe.train.valid_sentences,
        device=device_here(),
        bpe_dropout=recipe.train.bpe_dropout,
        consistency=recipe.train.consistency,
        reward=reward_settings(recipe.train),
    )


def _language(recipe: Recipe, corpus: LanguageCorpus) -> LanguageTask:
    return LanguageTask(
        corpus,
        context=recipe.data.context,
        batch_tokens=recipe.train.batch_tokens,
        seed=recipe.seed,
        label_smoothing=recipe.train.label_smoothing,
        valid_tokens=recipe.decode.batch_tokens,
        device=device_here(),
    )


def _pretraining(recipe: Recipe, corpus: SentenceCorpus) -> PretrainingTask:
    return PretrainingTask(
        corpus,
        context=recipe.data.context,
        batch_tokens=recipe.train.batch_tokens,
        seed=recipe.seed,
        hidden=recipe.train.hidden,
        pairs=recipe.train.pairs,
        valid_tokens=recipe.decode.batch_tokens,
        device=device_here(),
    )


def _labelled(kind: Callable[..., LabelledTask]) -> Callable[[Recipe, LabelledCorpus], LabelledTask]:
    return lambda recipe, corpus: kind(
        corpus,
        most=recipe.data.max_length,
        batch_tokens=recipe.train.batch_tokens,
        seed=recipe.seed,
        label_smoothing=recipe.train.label_smoothing,
        consistency=recipe.train.consistency,
        device=device_here(),
    )


def _tagging(recipe: Recipe, corpus: LabelledCorpus) -> LabelledTask:
    return _labelled(partial(TaggingTask, tags=recipe.data.tags))(recipe, corpus)


def _pictures(recipe: Recipe, corpus: PictureCorpus) -> PictureTask:
    return PictureTask(
        corpus,
        batch_pictures=recipe.train.batch_pictures,
        seed=recipe.seed,
        label_smoothing=recipe.train.label_smoothing,
        augment=recipe.train.augment,
        mix=recipe.train.mix,
        device=device_here(),
    )


def _captioning(recipe: Recipe, corpus: CaptionCorpus) -> CaptionTask:
    train, groups = recipe.train, equalized(recipe)
    return CaptionTask(
        corpus,
        batch_tokens=train.batch_tokens,
        seed=recipe.seed,
        label_smoothing=train.label_smoothing,
        decode=decode_settings(recipe.decode),
        valid_pictures=train.valid_sentences,
        device=device_here(),
        equalizing=None
        if groups is None
        else Equalizing.of(groups, corpus.tokenizer, confusion=train.confusion, confident=train.confident),
        reward=reward_settings(train),
        guide=train.guide,
    )


def corpus_settings(recipe: Recipe) -> CorpusSettings:
    data, tokenizer = recipe.data, recipe.tokenizer
    return CorpusSettings(
        train=data.train_sources,
        valid=data.valid_sources,
        source=data.source,
        target=data.target,
        tag=data.tag,
        holdout=data.holdout,
        max_length=data.max_length,
        rules=CleaningRules(max_characters=data.max_characters, max_ratio=data.max_ratio),
        kind=tokenizer.kind,
        size=tokenizer.size,
        shared=tokenizer.shared,
        lowercase=tokenizer.lowercase,
    )


def caption_settings(recipe: Recipe) -> CaptionSettings:
    data, tokenizer, groups = recipe.data, recipe.tokenizer, equalized(recipe)
    return CaptionSettings(
        train=data.train_sources,
        valid=data.valid_sources,
        columns=PictureColumns(data.picture, data.caption),
        regions=data.regions,
        vision=vision_of(recipe),
        holdout=data.holdout,
        kind=tokenizer.kind,
        size=tokenizer.size,
        lowercase=tokenizer.lowercase,
        hides=frozenset() if groups is None else hidden_words(groups),
        augment=recipe.train.augment,
        guides=recipe.train.guide > 0,
    )


def vision_of(recipe: Recipe) -> Vision:
    """How pictures are read; keys that would do nothing beside others are refused."""
    data = recipe.data
    if data.backbone is None and data.weights is not None:
        raise RecipeError("data.weights: means nothing without data.backbone: name the CNN whose weights these are")
    if data.regions is not None and data.fit == "crop":
        raise RecipeError(
            "data.regions: its boxes are of whole pictures, of which data.fit crop cuts the borders off: give "
            "data.fit=squash"
        )
    if data.backbone is None and recipe.train.guide and recipe.train.augment != "none":
        raise RecipeError(
            "train.guide: its boxes are of pictures as they are, but train.augment moves pixels at random: give "
            "train.augment=none, or a data.backbone, whose views are known"
        )
    return Vision(data.pixels, data.fit, data.backbone, data.weights)


def equalized(recipe: Recipe) -> WordGroups | None:
    return None if recipe.train.equalize is None else word_groups(recipe.train.equalize)


def labelled_settings(recipe: Recipe) -> LabelledSettings:
    data, tokenizer = recipe.data, recipe.tokenizer
    return LabelledSettings(
        answer=ANSWERS[recipe.task],
        train=data.train_sources,
        valid=data.valid_sources,
        columns=Columns(data.text, data.second, data.label),
        tags=data.tags,
        holdout=data.holdout,
        kind=tokenizer.kind,
        size=tokenizer.size,
        lowercase=tokenizer.lowercase,
    )


def language_settings(recipe: Recipe) -> LanguageSettings:
    data, tokenizer = recipe.data, recipe.tokenizer
    return LanguageSettings(
        train=data.train_sources,
        valid=data.valid_sources,
        borders=data.documents,
        sentences=data.sentences,
        holdout=data.holdout,
        kind=tokenizer.kind,
        size=tokenizer.size,
        lowercase=tokenizer.lowercase,
    )


def picture_settings(recipe: Recipe) -> PictureSettings:
    data = recipe.data
    return PictureSettings(
        train=data.train_sources,
        pixels=pixels_of(recipe),
        valid=data.valid_sources,
        columns=PictureColumns(data.picture, data.label),
        fit=data.fit,
        holdout=data.holdout,
    )


def pixels_of(recipe: Recipe) -> int:
    """The recipe's size of a picture, or the model's own, or what models without one are usually shown."""
    options = recipe.model.options
    size = recipe.data.pixels or options.get("size")
    return int(size) if size else SMALL_STEM if options.get("stem") == "small" else LARGE


def reward_settings(section: TrainSection) -> RewardSettings | None:
    if section.reward is None:
        return None
    return RewardSettings(section.reward, share=section.reward_share, samples=section.reward_samples)


def decode_settings(section: DecodeSection, **changes: Any) -> DecodeSettings:
    """The recipe's way to decode, with what a command asked for (not None) in its place."""
    asked = {name: value for name, value in changes.items() if value is not None}
    return DecodeSettings(**{**section.model_dump(), **asked})


def device_here() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


KINDS: dict[str, Kind[Any]] = {
    "translation": Kind(_preparing(corpus_settings, prepare, sides="both"), open_corpus, _translation),
    "language-model": Kind(_preparing(language_settings, prepare_language), open_language_corpus, _language),
    "captioning": Kind(_preparing(caption_settings, prepare_captions), open_caption_corpus, _captioning),
    "masked-language-model": Kind(_preparing(language_settings, prepare_sentences), open_sentence_corpus, _pretraining),
    **{
        name: Kind(
            _preparing(labelled_settings, prepare_labelled),
            open_labelled_corpus,
            make,
            begin=lambda task, model: task.begin(model),
        )
        for name, make in (
            ("classification", _labelled(ClassificationTask)),
            ("regression", _labelled(RegressionTask)),
            ("tagging", _tagging),
        )
    },
    "picture-classification": Kind(
        _preparing(picture_settings, prepare_pictures, sides="none"), open_picture_corpus, _pictures, Sight.load
    ),
}
