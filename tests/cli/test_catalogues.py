import json

import pytest
import yaml

from command import command, refused
from saccade.models import presets
from saccade.recipe import shipped


def test_recipes_are_listed_and_printed() -> None:
    shown = command("recipes").stdout
    assert all(recipe.name in shown and recipe.description in shown for recipe in shipped())
    as_json = json.loads(command("recipes", "--json").stdout)
    assert [one["name"] for one in as_json] == [recipe.name for recipe in shipped()]


@pytest.mark.parametrize("recipe", shipped(), ids=lambda recipe: recipe.name)
def test_a_recipe_is_printed_in_full(recipe: object) -> None:
    printed = command("recipes", recipe.name)  # type: ignore[attr-defined]
    assert printed.exit_code == 0
    said = yaml.safe_load(printed.stdout)
    of_texts = set() if said["task"] == "picture-classification" else {"tokenizer", "decode"}
    assert said.keys() == {"name", "task", "seed", "data", "model", "train"} | of_texts


def test_the_schema_is_json_and_the_reference_names_every_section() -> None:
    schema = json.loads(command("recipes", "--schema").stdout)
    assert {"data", "train"} <= schema["properties"].keys()
    reference = command("recipes", "--reference").stdout
    assert "train.warmup" in reference or "warmup" in reference


def test_models_are_listed_and_told_about() -> None:
    shown = command("models").stdout
    assert all(preset.name in shown and preset.summary in shown for preset in presets())
    told = command("models", "transformer-base").stdout
    assert "Attention Is All You Need" in told
    assert "model.dim" in told
    assert [one["name"] for one in json.loads(command("models", "--json").stdout)] == [p.name for p in presets()]
    assert json.loads(command("models", "transformer-tiny", "--json").stdout)[0]["options"]["dim"] == 128


def test_unknown_names() -> None:
    assert "no preset 'transformer-tin' (did you mean transformer-tiny?)" in refused("models", "transformer-tin")
    assert 'no recipe "scenes-en-f"' in refused("recipes", "scenes-en-f")
