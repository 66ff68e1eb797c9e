import pytest
from pydantic import BaseModel, ValidationError

from saccade.recipe import DataSection, DecodeSection, ModelSection, Recipe, TokenizerSection, TrainSection

CLASSES: list[type[BaseModel]] = [Recipe, DataSection, TokenizerSection, ModelSection, TrainSection, DecodeSection]


@pytest.mark.parametrize("section", CLASSES)
def test_every_field_is_described(section: type[BaseModel]) -> None:
    assert all(field.description and field.description.endswith(".") for field in section.model_fields.values())


@pytest.mark.parametrize("section", CLASSES)
def test_sections_are_frozen(section: type[BaseModel]) -> None:
    assert section.model_config["frozen"] is True


def test_code_may_build_sections() -> None:
    recipe = Recipe(
        task="translation",
        data=DataSection(train=["a", "b"]),
        model=ModelSection(preset="tiny", dim=8),
        train=TrainSection(budget="60 steps"),
    )
    assert recipe.data.train_sources == ("a", "b")
    assert DataSection(train="a").train_sources == ("a",)
    assert DataSection(train="a", valid=["a", "b"]).valid == ("a", "b")
    assert recipe.model.options == {"dim": 8}
    assert str(recipe.train.budget) == "60 steps"
    hash(recipe.train)


def test_recipes_differ_by_options() -> None:
    assert ModelSection(preset="tiny", dim=8) != ModelSection(preset="tiny", dim=9)


def test_constant_schedule_needs_no_warmup() -> None:
    assert TrainSection(schedule="constant", warmup=0).warmup == 0


@pytest.mark.parametrize(
    ("section", "values"),
    [
        (DataSection, {"train": "a", "holdout": 0}),
        (DataSection, {"train": "a", "holdout": 0.5}),
        (DataSection, {"train": "a", "max_length": 0}),
        (DataSection, {"train": "a", "max_characters": 0}),
        (DataSection, {"train": "a", "max_ratio": 0.5}),
        (DataSection, {"train": " "}),
        (DataSection, {"train": "a", "valid": ""}),
        (DataSection, {"train": "a", "valid": []}),
        (DataSection, {"train": "a", "tag": "source"}),
        (TokenizerSection, {"size": 0}),
        (ModelSection, {"preset": ""}),
        (TrainSection, {"batch_tokens": 0}),
        (TrainSection, {"accumulate": 0}),
        (TrainSection, {"lr": float("inf")}),
        (TrainSection, {"eps": 0}),
        (TrainSection, {"weight_decay": -1}),
        (TrainSection, {"warmup": -1}),
        (TrainSection, {"label_smoothing": 1}),
        (TrainSection, {"label_smoothing": -0.1}),
        (TrainSection, {"clip": 0}),
        (TrainSection, {"patience": 0}),
        (TrainSection, {"valid_sentences": 0}),
        (TrainSection, {"threads": 0}),
        (TrainSection, {"log_every": 0}),
        (DecodeSection, {"beam": 0}),
        (DecodeSection, {"length_penalty": -1}),
        (DecodeSection, {"max_length": 0}),
        (DecodeSection, {"batch_tokens": 0}),
        (DecodeSection, {"nbest": 0}),
    ],
)
def test_bounds(section: type[BaseModel], values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        section(**values)
