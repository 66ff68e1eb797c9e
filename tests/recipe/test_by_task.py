"""What a task changes in a recipe."""

from typing import ClassVar

import pytest
from pydantic import BaseModel

from saccade.errors import RecipeError
from saccade.recipe import Models, load, load_text, to_yaml
from saccade.recipe.by_task import DEFAULTS, METRICS, PICTURES, TRANSLATION
from saccade.recipe.train_section import TrainSection


class LanguageOptions(BaseModel):
    tasks: ClassVar[tuple[str, ...]] = ("language-model",)
    dim: int = 64


class TaggerOptions(BaseModel):
    tasks: ClassVar[tuple[str, ...]] = ("tagging",)
    dim: int = 64


class PictureOptions(BaseModel):
    tasks: ClassVar[tuple[str, ...]] = ("picture-classification",)
    size: int = 32


class CaptionOptions(BaseModel):
    tasks: ClassVar[tuple[str, ...]] = ("captioning",)
    dim: int = 64


@pytest.fixture
def tasks(models: Models) -> Models:
    return {
        **models,
        "small-lm": LanguageOptions,
        "small-tagger": TaggerOptions,
        "small-vit": PictureOptions,
        "small-captioner": CaptionOptions,
    }


def test_a_preset_brings_its_task(tasks: Models) -> None:
    assert load("small-lm", ["data.train=my.txt"], models=tasks).task == "language-model"
    assert load("transformer-tiny", ["data.train=my.tsv"], models=tasks).task == "translation"


def test_defaults_fit_the_task(tasks: Models) -> None:
    recipe = load("small-lm", ["data.train=my.txt"], models=tasks)
    assert (recipe.train.metric, recipe.train.label_smoothing) == ("loss", 0.0)
    smoothed = load("small-lm", ["data.train=my.txt", "train.label_smoothing=0.1"], models=tasks)
    assert smoothed.train.label_smoothing == 0.1
    recipe = load("transformer-tiny", ["data.train=my.tsv"], models=tasks)
    assert (recipe.train.metric, recipe.train.label_smoothing) == ("bleu", 0.1)


def test_plain_tags_are_no_entities(tasks: Models) -> None:
    assert load("small-tagger", ["data.train=ner.txt"], models=tasks).train.metric == "f1"
    plain = load("small-tagger", ["data.train=pos.txt", "data.tags=plain"], models=tasks)
    assert plain.train.metric == "accuracy"
    assert load_text(to_yaml(plain), models=tasks) == plain
    with pytest.raises(RecipeError, match="task tagging of plain tags has no f1; expected one of accuracy, loss"):
        load("small-tagger", ["data.train=pos.txt", "data.tags=plain", "train.metric=f1"], models=tasks)


def test_a_resolved_recipe_is_read_again(tasks: Models) -> None:
    recipe = load("small-lm", ["data.train=my.txt", "data.context=32", "data.documents=line"], models=tasks)
    assert load_text(to_yaml(recipe), models=tasks) == recipe


def test_pictures_have_no_tokens(tasks: Models) -> None:
    recipe = load("small-vit", ["data.train=pets", "train.augment=strong", "data.fit=squash"], models=tasks)
    assert (recipe.train.metric, recipe.train.schedule, recipe.train.label_smoothing) == ("accuracy", "cosine", 0.1)
    text = to_yaml(recipe)
    assert "token" not in text
    assert "decode" not in text
    assert {"  pixels: null", "  fit: squash", "  augment: strong", "  mix: 0.0"} <= set(text.splitlines())
    assert load_text(text, models=tasks) == recipe
    other = to_yaml(load("small-lm", ["data.train=my.txt"], models=tasks))
    assert not any(key in other for key in ("pixels", "fit:", "augment", "mix", "batch_pictures", "picture"))


def test_captioners_read_pictures_and_write_words(tasks: Models) -> None:
    recipe = load("small-captioner", ["data.train=scenes:captions", "data.fit=squash"], models=tasks)
    assert (recipe.train.metric, recipe.train.label_smoothing) == ("cider", 0.0)
    assert (recipe.tokenizer.kind, recipe.tokenizer.lowercase) == ("words", True)
    text = to_yaml(recipe)
    assert {"  backbone: null", "  regions: null", "  equalize: null", "  beam: 5"} <= set(text.splitlines())
    assert recipe.train.augment == "none", "captions may say left and right"
    assert not any(key in text for key in ("batch_pictures", "mix:", "replace_unknown", "max_ratio", "shared"))
    assert load_text(text, models=tasks) == recipe


@pytest.mark.parametrize(
    ("preset", "override", "message"),
    [
        ("small-lm", "train.metric=bleu", "train.metric: task language-model has no bleu; expected loss"),
        (
            "transformer-tiny",
            "train.reward=cider",
            "train.reward: task translation has no reward cider; expected one of bleu, gleu",
        ),
        ("small-lm", "data.source=en", "data.source: means nothing for task language-model; leave it out"),
        ("small-lm", "tokenizer.shared=false", "tokenizer.shared: means nothing for task language-model; leave it out"),
        ("small-vit", "train.batch_tokens=64", "train.batch_tokens: means nothing for task picture-classification"),
        ("small-vit", "tokenizer.kind=words", "tokenizer.kind: means nothing for task picture-classification"),
        ("small-lm", "data.backbone=vgg16", "data.backbone: means nothing for task language-model; leave it out"),
        ("small-vit", "train.equalize=gendered", "train.equalize: means nothing for task picture-classification"),
        ("small-captioner", "train.metric=chrf", "train.metric: task captioning has no chrf; expected one of cider"),
        ("small-captioner", "train.bpe_dropout=0.1", "train.bpe_dropout: means nothing for task captioning"),
        ("small-lm", "train.augment=none", "train.augment: means nothing for task language-model; leave it out"),
        ("transformer-tiny", "data.context=64", "data.context: means nothing for task translation; leave it out"),
        ("transformer-tiny", "task=language-model", "model.preset: transformer-tiny is a model for task translation"),
        ("small-lm", "task=translation", "small-lm is a model for task language-model, not for translation"),
    ],
)
def test_what_does_not_go_with_the_task(tasks: Models, preset: str, override: str, message: str) -> None:
    with pytest.raises(RecipeError) as refused:
        load(preset, ["data.train=my.txt", override], models=tasks)
    assert message in str(refused.value)


def test_every_problem_at_once(tasks: Models) -> None:
    with pytest.raises(RecipeError, match="2 problems"):
        load("small-lm", ["data.train=my.txt", "train.metric=chrf", "data.max_length=10"], models=tasks)


def test_the_reference_tells_whose_labels_are_smoothed() -> None:
    section, key = "train", "label_smoothing"
    field = TrainSection.model_fields[key]
    smoothed = {task for task in METRICS if DEFAULTS.get(task, {}).get((section, key), field.default)}
    assert smoothed == {TRANSLATION, PICTURES}
    assert field.description is not None
    assert "the default of translators and of classifiers of pictures; that of all others is 0" in field.description
