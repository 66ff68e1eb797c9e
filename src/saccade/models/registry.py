"""The presets: named models with their options, listed explicitly, found by name."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import getdoc
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ValidationError, create_model
from torch import nn

from saccade.errors import ModelError


@dataclass(frozen=True)
class GridShape:
    """Pictures as features: ``side`` × ``side`` places, each a vector of ``channels`` numbers."""

    side: int
    channels: int

    @property
    def places(self) -> int:
        return self.side**2


@dataclass(frozen=True)
class PixelShape:
    """Pictures as they are: ``size`` × ``size`` pixels in red, green and blue."""

    size: int


@dataclass(frozen=True)
class Vocabulary:
    """What a model must know of its data: its vocabularies, whether they are one, the padding, how many labels."""

    source: int
    target: int
    shared: bool
    pad_id: int = 0
    labels: int = 0
    picture: GridShape | PixelShape | None = None


Build = Callable[[Any, Vocabulary], nn.Module]


@dataclass(frozen=True)
class Preset:
    """A model with numbers that somebody found good: name, options, and how to build it for each of its tasks."""

    name: str
    doc: str
    options: BaseModel
    builds: Mapping[str, Build]

    @property
    def tasks(self) -> tuple[str, ...]:
        """What it can be trained to do; the first is meant when nobody says."""
        return tuple(self.builds)

    @property
    def free(self) -> frozenset[str]:
        """The options that a training may change which begins with trained weights: the weights fit all the same."""
        found: frozenset[str] = getattr(type(self.options), "FREE", frozenset())
        return found

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.doc.splitlines()[0]

    def schema(self) -> type[BaseModel]:
        """The class of the options, with this preset's numbers as the defaults; its ``tasks`` are the preset's."""
        fields: dict[str, Any] = {"tasks": (ClassVar[tuple[str, ...]], self.tasks)}
        for name, info in type(self.options).model_fields.items():
            field = copy(info)
            field.default = getattr(self.options, name)
            fields[name] = (info.annotation, field)
        return create_model(self.name, __base__=type(self.options), __doc__=self.doc, **fields)


Options = TypeVar("Options", bound=BaseModel)

_NONE: Mapping[str, Build] = MappingProxyType({})
_PRESETS: dict[str, Preset] = {}


def preset(
    name: str, *, task: str, build: Callable[[Options, Vocabulary], nn.Module], also: Mapping[str, Build] = _NONE
) -> Callable[[Callable[[], Options]], Callable[[], Options]]:
    """Registers the options that the decorated function returns under ``name``; ``also`` are further tasks."""

    def register(function: Callable[[], Options]) -> Callable[[], Options]:
        _PRESETS[name] = Preset(name, getdoc(function) or "", function(), MappingProxyType({task: build, **also}))
        return function

    return register


def presets() -> list[Preset]:
    """All presets, in the order in which they were registered."""
    return list(_PRESETS.values())


def find_preset(name: str) -> Preset:
    if name not in _PRESETS:
        near = get_close_matches(name, _PRESETS, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise ModelError(f"no preset {name!r}{hint}; there are {', '.join(_PRESETS)}")
    return _PRESETS[name]


def catalogue() -> dict[str, type[BaseModel]]:
    """For each preset the class of its options: what a recipe may say under ``model``."""
    return {name: one.schema() for name, one in _PRESETS.items()}


def build_model(name: str, options: Mapping[str, Any], vocabulary: Vocabulary, *, task: str | None = None) -> nn.Module:
    """The model of a preset with these options in place of its own, for one of its tasks, or for its first."""
    found = find_preset(name)
    task = task or found.tasks[0]
    if task not in found.builds:
        raise ModelError(f"{name} is a model for task {' or '.join(found.tasks)}, not for {task}")
    try:
        chosen = type(found.options).model_validate({**found.options.model_dump(), **options})
    except ValidationError as error:
        wrong = "; ".join(f"model.{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise ModelError(f"{name}: {wrong}") from error
    return found.builds[task](chosen, vocabulary)
