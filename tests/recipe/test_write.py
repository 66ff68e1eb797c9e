from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.recipe import DataSection, Models, ModelSection, Recipe, TrainSection, load_text, to_yaml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip) | st.sampled_from(
    [
        "3e-4",
        "5e6",
        "no",
        "null",
        "~",
        "true",
        "1:30",
        "2024-01-01",
        "007",
        "a: b",
        "a #b",
        "0\x85",
        "a\u2028b",
        "a\r\nb",
        " a",
        "\ufeffa",
        "<<",
        "=",
        "scenes:en-fr",
    ]
)
FLOATS = st.floats(min_value=1e-12, max_value=1e12)
OPTIONS = st.dictionaries(
    st.text("abcdefgh_", min_size=1).filter(lambda key: not key.startswith("_")),
    TEXTS | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False) | st.booleans() | st.none(),
    max_size=4,
)


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    return Recipe(
        task="translation",
        name=draw(st.sampled_from(["plain", "with space", "é", "42", "null", "no", "1e3"])),
        seed=draw(st.integers(0, 2**32 - 1)),
        data=DataSection(
            train=draw(TEXTS | st.lists(TEXTS, min_size=1, max_size=3)),
            valid=draw(TEXTS | st.none()),
            max_ratio=draw(st.none() | st.floats(1, 1e9)),
        ),
        model=ModelSection(preset=draw(TEXTS), **draw(OPTIONS)),
        train=TrainSection(
            budget=draw(st.sampled_from(["60 steps", "0.1 epochs", "5e6 tokens", "2 hours"])),
            lr=draw(FLOATS),
            eps=draw(FLOATS),
            clip=draw(FLOATS | st.none()),
            betas=draw(st.tuples(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))),
        ),
    )


@pytest.mark.property
@settings(max_examples=150)
@given(recipes())
def test_text_and_back(recipe: Recipe) -> None:
    text = to_yaml(recipe)
    again = load_text(text)
    assert again == recipe
    assert to_yaml(again) == text


@pytest.mark.property
@settings(max_examples=100)
@given(TEXTS, FLOATS, st.integers(1, 10**9), st.booleans(), FLOATS | st.none())
def test_overrides_say_the_same_as_code(
    train: str, lr: float, warmup: int, tensorboard: bool, clip: float | None
) -> None:
    def written(value: Any) -> str:
        return yaml.safe_dump(value, default_style='"' if isinstance(value, str) else None).removesuffix("...\n")

    recipe = load_text(
        "task: translation\nmodel: {preset: tiny}\n",
        [
            f"data.train={written(train)}",
            f"train.lr={written(lr)}",
            f"train.warmup={warmup}",
            f"train.tensorboard={written(tensorboard)}",
            f"train.clip={written(clip)}",
        ],
    )
    assert recipe == Recipe(
        task="translation",
        data=DataSection(train=train),
        model=ModelSection(preset="tiny"),
        train=TrainSection(lr=lr, warmup=warmup, tensorboard=tensorboard, clip=clip),
    )


def test_resolved_form_survives_with_models(models: Models) -> None:
    recipe = load_text("task: translation\ndata: {train: a}\nmodel: {preset: transformer-tiny}\n", models=models)
    assert load_text(to_yaml(recipe), models=models) == recipe


def test_form() -> None:
    recipe = Recipe(
        task="translation", data=DataSection(train=["a", "3e-4"]), model=ModelSection(preset="tiny", dim=8, window=None)
    )
    text = to_yaml(recipe)
    assert text.startswith("name: recipe\ntask: translation\nseed: 1\ndata:\n  train: [a, '3e-4']\n  valid: null\n")
    assert "model:\n  preset: tiny\n  dim: 8\n  window: null\ntrain:\n  budget: 30 epochs\n" in text
    assert "  betas: [0.9, 0.98]\n" in text
