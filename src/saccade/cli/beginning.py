"""What a training begins with: its recipe, and the run whose weights it takes."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from saccade.errors import RecipeError, RunError
from saccade.models import catalogue, find_preset
from saccade.recipe import Recipe, load
from saccade.training.folder import RunFolder


class Beginning(NamedTuple):
    """The recipe, complete, and the trained run that it begins with, if any."""

    recipe: Recipe
    origin: RunFolder | None


def beginning(recipe: str, overrides: Sequence[str], init_from: Path | None) -> Beginning:
    """The recipe, with the model of the run that a classifier begins with in place of its own."""
    models = catalogue()
    if init_from is None:
        resolved = load(recipe, overrides, models=models)
        if resolved.model.options.get("frozen"):
            raise RecipeError(
                "model.frozen: nothing is learned below the head, so the body must be a trained one: give a run with "
                "--init-from, such as `saccade import huggingface` makes"
            )
        return Beginning(resolved, None)
    origin = RunFolder.open(init_from)
    if not origin.model.exists():
        raise RunError(f"{init_from} has no trained weights yet: go on with `saccade resume {init_from}`")
    model = load(origin.recipe, models=models).model
    preset = find_preset(model.preset)
    if {"classification", "picture-classification"} & set(preset.tasks):
        return Beginning(load(recipe, overrides, models=models, model_of=model, free=preset.free), origin)
    return Beginning(load(recipe, overrides, models=models), origin)
