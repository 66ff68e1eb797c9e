"""What a task changes in a recipe: defaults of its own, and keys that mean nothing to it."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from saccade.recipe.problems import KeyPath
from saccade.recipe.schema import DataSection, Recipe, TokenizerSection, TrainSection

DEFAULTS: Mapping[str, Mapping[tuple[str, str], Any]] = MappingProxyType(
    {"language-model": {("train", "metric"): "loss", ("train", "label_smoothing"): 0.0}}
)
METRICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"translation": ("bleu", "chrf", "loss"), "language-model": ("loss",)}
)
WITHOUT_MEANING: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "translation": {"data": ("documents", "context")},
        "language-model": {
            "data": ("source", "target", "tag", "max_length", "max_characters", "max_ratio"),
            "tokenizer": ("shared",),
            "train": ("bpe_dropout", "consistency", "reward", "valid_sentences"),
        },
    }
)
_SECTIONS: Mapping[str, type[BaseModel]] = {"data": DataSection, "tokenizer": TokenizerSection, "train": TrainSection}


def lay_defaults(values: dict[str, Any]) -> None:
    """Puts the task's own defaults where a recipe is silent."""
    task = values.get("task")
    for (section, key), value in DEFAULTS.get(task if isinstance(task, str) else "", {}).items():
        if isinstance(values[section], dict):
            values[section].setdefault(key, value)


def misfits(recipe: Recipe) -> Iterator[tuple[KeyPath, str]]:
    """The keys that do not go with the task, with a message for each. A key at its default says nothing."""
    metric, metrics = recipe.train.metric, METRICS[recipe.task]
    if metric not in metrics:
        expected = metrics[0] if len(metrics) == 1 else f"one of {', '.join(metrics)}"
        yield ("train", "metric"), f"task {recipe.task} has no {metric}; expected {expected}"
    for section, keys in WITHOUT_MEANING[recipe.task].items():
        for key in keys:
            if getattr(getattr(recipe, section), key) != _SECTIONS[section].model_fields[key].default:
                yield (section, key), f"means nothing for task {recipe.task}; leave it out"
