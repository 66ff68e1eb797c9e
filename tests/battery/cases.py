"""Which models the battery runs: every registered preset, made small, and every option worth a model of its own.

A new model family needs nothing here: being registered is enough. A new *task* needs its own battery, and
``test_every_preset_has_a_battery`` says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from pydantic import TypeAdapter, ValidationError
from torch import nn

from saccade.models import Preset, Vocabulary, build_model, presets

ONE_VOCABULARY = Vocabulary(source=30, target=30, shared=True)
TWO_VOCABULARIES = Vocabulary(source=26, target=30, shared=False)

SIZES: dict[str, Any] = {
    "dim": 32,
    "heads": 4,
    "ff_dim": 64,
    "layers": 2,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "max_length": 64,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "pre-norm": {"norm": "pre"},
    "post-norm": {"norm": "post"},
    "gelu": {"activation": "gelu"},
    "no-bias": {"bias": False},
    "learned-positions": {"positions": "learned"},
    "no-positions": {"positions": "none"},
    "concatenated-positions": {"combine": "concatenate", "embeddings": "separate"},
    "concatenated-learned-positions": {"positions": "learned", "combine": "concatenate", "embeddings": "separate"},
    "additive": {"score": "additive"},
    "dot": {"score": "dot"},
    "simple-one-way": {"cell": "simple", "directions": "one"},
    "window": {"window": 2},
    "additive-window": {"score": "additive", "window": 2},
    "attention-dropout": {"attention_dropout": 0.2},
    "ff-dropout": {"ff_dropout": 0.2},
    "experts": {"experts": 5, "experts_used": 3},
    "tied": {"embeddings": "tied"},
    "separate": {"embeddings": "separate"},
}


@dataclass(frozen=True)
class Case:
    """One model of the battery."""

    preset: Preset
    variant: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.preset.name if self.variant is None else f"{self.preset.name}-{self.variant}"

    @property
    def vocabulary(self) -> Vocabulary:
        return TWO_VOCABULARIES if self.options.get("embeddings") in ("tied", "separate") else ONE_VOCABULARY

    def build(self, *, seed: int = 1) -> Any:
        """The model, ready to be looked at: no dropout until ``train()`` is called."""
        torch.manual_seed(seed)
        model = build_model(self.preset.name, self.options, self.vocabulary)
        for parameter in model.parameters():
            if parameter.dim() == 1:  # norms and biases start as ones and zeros, behind which a mistake can hide
                nn.init.normal_(parameter, mean=float(parameter.mean().item() == 1), std=0.2)
        return model.eval()


def cases(task: str) -> list[Case]:
    """Every preset of a task as it is; the variants once for each family, that is for each way of building."""
    found = [Case(one, None, _known(one, SIZES)) for one in presets() if task in one.tasks]
    families = {one.builds[task]: one for one in reversed(presets()) if task in one.tasks}
    return found + [case for one in reversed(families.values()) for case in _variants(one)]


def _variants(one: Preset) -> Iterator[Case]:
    for variant, options in VARIANTS.items():
        if _known(one, options) == options:
            yield Case(one, variant, {**_known(one, SIZES), **options})


def _known(one: Preset, options: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that this preset has, with a value that it takes."""
    return {name: value for name, value in options.items() if _takes(one, name, value)}


def _takes(one: Preset, name: str, value: Any) -> bool:
    info = type(one.options).model_fields.get(name)
    if info is None:
        return False
    try:
        TypeAdapter(info.annotation).validate_python(value)
    except ValidationError:
        return False
    return True
