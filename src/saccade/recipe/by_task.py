"""What a task changes in a recipe: defaults of its own, and keys that mean nothing to it."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from saccade.recipe.data_section import DataSection
from saccade.recipe.problems import KeyPath
from saccade.recipe.schema import DecodeSection, Recipe, TokenizerSection
from saccade.recipe.train_section import TrainSection

TRANSLATION, LANGUAGE, MASKED = "translation", "language-model", "masked-language-model"
CLASSIFICATION, REGRESSION, TAGGING = "classification", "regression", "tagging"
PICTURES, CAPTIONING = "picture-classification", "captioning"

_BERT: Mapping[tuple[str, str], Any] = {("train", "label_smoothing"): 0.0, ("tokenizer", "kind"): "bert"}
_FINE_TUNING: Mapping[tuple[str, str], Any] = {
    **_BERT,
    ("data", "max_length"): 128,
    ("train", "lr"): 5e-5,
    ("train", "betas"): [0.9, 0.999],
    ("train", "eps"): 1e-6,
    ("train", "weight_decay"): 0.01,
    ("train", "schedule"): "linear",
}
DEFAULTS: Mapping[str, Mapping[tuple[str, str], Any]] = MappingProxyType(
    {
        LANGUAGE: {("train", "metric"): "loss", ("train", "label_smoothing"): 0.0},
        MASKED: {**_BERT, ("train", "metric"): "loss"},
        CLASSIFICATION: {**_FINE_TUNING, ("train", "metric"): "accuracy"},
        REGRESSION: {**_FINE_TUNING, ("train", "metric"): "pearson"},
        TAGGING: {**_FINE_TUNING, ("train", "metric"): "f1"},
        PICTURES: {
            ("train", "metric"): "accuracy",
            ("train", "schedule"): "cosine",
            ("train", "betas"): [0.9, 0.999],
            ("train", "eps"): 1e-8,
            ("train", "weight_decay"): 0.05,
        },
        CAPTIONING: {
            ("train", "metric"): "cider",
            ("train", "label_smoothing"): 0.0,
            ("train", "augment"): "none",
            ("tokenizer", "kind"): "words",
            ("tokenizer", "lowercase"): True,
        },
    }
)
METRICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        TRANSLATION: ("bleu", "chrf", "loss"),
        LANGUAGE: ("loss",),
        MASKED: ("loss",),
        CLASSIFICATION: ("accuracy", "f1", "matthews", "loss"),
        REGRESSION: ("pearson", "spearman", "loss"),
        TAGGING: ("f1", "loss"),
        PICTURES: ("accuracy", "matthews", "loss"),
        CAPTIONING: ("cider", "bleu", "loss"),
    }
)
REWARDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {TRANSLATION: ("bleu", "gleu"), CAPTIONING: ("cider", "bleu")}
)
_OF_PLAIN_TAGS = ("accuracy", "loss")  # the first is the default; f1 is of entities, which they are not

# For each task the keys that only some tasks have and this one has: all others of them mean nothing to it.
_OWN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    TRANSLATION: {
        "data": ("source", "target", "tag", "max_length", "max_characters", "max_ratio"),
        "tokenizer": ("shared",),
        "train": ("bpe_dropout", "consistency", "reward", "reward_share", "reward_samples", "valid_sentences"),
        "decode": ("beam", "length_penalty", "max_length", "nbest", "replace_unknown"),
    },
    LANGUAGE: {"data": ("documents", "context")},
    MASKED: {"data": ("documents", "context", "sentences"), "train": ("hidden", "pairs")},
    CLASSIFICATION: {"data": ("text", "second", "label", "max_length"), "train": ("consistency",)},
    REGRESSION: {"data": ("text", "second", "label", "max_length"), "train": ("consistency",)},
    TAGGING: {"data": ("tags", "max_length"), "train": ("consistency",)},
    PICTURES: {"data": ("picture", "label", "pixels", "fit"), "train": ("batch_pictures", "augment", "mix")},
    CAPTIONING: {
        "data": ("picture", "caption", "pixels", "fit", "backbone", "weights", "regions"),
        "train": (
            "augment",
            "guide",
            "equalize",
            "confusion",
            "confident",
            "reward",
            "reward_share",
            "reward_samples",
            "valid_sentences",
        ),
        "decode": ("beam", "length_penalty", "max_length", "nbest", "consensus"),
    },
}
# The keys that every other task has.
_LACKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    PICTURES: {
        "tokenizer": ("kind", "size", "lowercase"),
        "train": ("batch_tokens",),
        "decode": ("batch_tokens",),
    },
}
_SECTIONS: Mapping[str, type[BaseModel]] = {
    "data": DataSection,
    "tokenizer": TokenizerSection,
    "train": TrainSection,
    "decode": DecodeSection,
}
_SPECIAL = tuple(
    dict.fromkeys((section, key) for own in _OWN.values() for section, keys in own.items() for key in keys)
)


def foreign_keys(task: str) -> list[tuple[str, str]]:
    """Section and key of all that other tasks have and this one has not."""
    others = [(section, key) for section, key in _SPECIAL if key not in _OWN[task].get(section, ())]
    return [*others, *((section, key) for section, keys in _LACKS.get(task, {}).items() for key in keys)]


def lay_defaults(values: dict[str, Any]) -> None:
    """Puts the task's own defaults where a recipe is silent."""
    task, data = values.get("task"), values["data"]
    defaults = DEFAULTS.get(task if isinstance(task, str) else "", {})
    if task == TAGGING and isinstance(data, dict) and data.get("tags") == "plain":
        defaults = {**defaults, ("train", "metric"): _OF_PLAIN_TAGS[0]}
    for (section, key), value in defaults.items():
        if isinstance(values[section], dict):
            values[section].setdefault(key, value)


def misfits(recipe: Recipe) -> Iterator[tuple[KeyPath, str]]:
    """The keys that do not go with the task, with a message for each. A key at its default says nothing."""
    plain = recipe.task == TAGGING and recipe.data.tags == "plain"
    metric, metrics = recipe.train.metric, _OF_PLAIN_TAGS if plain else METRICS[recipe.task]
    if metric not in metrics:
        task = f"{recipe.task}{' of plain tags' * plain}"
        yield ("train", "metric"), f"task {task} has no {metric}; expected {_any_of(metrics)}"
    reward, rewards = recipe.train.reward, REWARDS.get(recipe.task, ())
    if reward is not None and rewards and reward not in rewards:
        yield ("train", "reward"), f"task {recipe.task} has no reward {reward}; expected {_any_of(rewards)}"
    for section, key in foreign_keys(recipe.task):
        if getattr(getattr(recipe, section), key) != _SECTIONS[section].model_fields[key].default:
            yield (section, key), f"means nothing for task {recipe.task}; leave it out"


def _any_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"
