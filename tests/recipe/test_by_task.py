"""What a task changes in a recipe."""

from typing import ClassVar

import pytest
from pydantic import BaseModel

from saccade.errors import RecipeError
from saccade.recipe import Models, load, load_text, to_yaml


class LanguageOptions(BaseModel):
    tasks: ClassVar[tuple[str, ...]] = ("language-model",)
    dim: int = 64


class PictureOptions(BaseModel):
    tasks: ClassVar[tuple[str, ...]] = ("picture-classification",)
    size: int = 32


@pytest.fixture
def tasks(models: Models) -> Models:
    return {**models, "small-lm": LanguageOptions, "small-vit": PictureOptions}


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


@pytest.mark.parametrize(
    ("preset", "override", "message"),
    [
        ("small-lm", "train.metric=bleu", "train.metric: task language-model has no bleu; expected loss"),
        ("small-lm", "data.source=en", "data.source: means nothing for task language-model; leave it out"),
        ("small-lm", "tokenizer.shared=false", "tokenizer.shared: means nothing for task language-model; leave it out"),
        ("small-vit", "train.batch_tokens=64", "train.batch_tokens: means nothing for task picture-classification"),
        ("small-vit", "tokenizer.kind=words", "tokenizer.kind: means nothing for task picture-classification"),
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
