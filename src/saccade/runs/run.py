"""What all trained runs have in common, whatever they were trained to do."""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

from torch import nn

from saccade.attention import EVERYTHING, Asked, Attended, Calculation, Recorder, attention_layers, clearest_cross
from saccade.data.images.reading import Fit
from saccade.errors import DataError, DecodingError
from saccade.recipe import Recipe
from saccade.tasks.translator import Tokenizers
from saccade.training.folder import RunFolder
from saccade.view.display import translation_html

LONGEST = 20  # words: an example that can be read at a glance


@dataclass(frozen=True)
class Grid:
    """The places of a picture, row by row, and how it was made the square that they are cut from."""

    rows: int
    columns: int
    fit: Fit


@dataclass(frozen=True)
class Look:
    """A text and what every attention layer looked at; of a translation ``target`` is what was written.

    ``calculation`` is that of the one query that was asked for.
    """

    source: str
    target: str | None
    layers: tuple[Attended, ...] = field(repr=False)
    calculation: Calculation | None = field(default=None, repr=False)

    @classmethod
    def of(cls, source: str, target: str | None, seen: Recorder, asked: Asked, index: int = 0, **more: Any) -> Self:
        """What was recorded of the text of this number; ``more`` is what else such a look has."""
        if any(index not in seen[name].sentences for name in seen):
            raise DecodingError("there is nothing to look at: the text has no token")
        layers = tuple(seen[name].sentences[index] for name in seen if asked.wants(name))
        return cls(source, target, layers, None if asked.watch is None else seen.calculation(index), **more)

    def __getitem__(self, layer: str) -> Attended:
        found = {one.layer: one for one in self.layers}
        if layer not in found:
            raise DecodingError(f"no attention layer {layer!r} was recorded; there are {', '.join(found)}")
        return found[layer]

    def _repr_html_(self) -> str:
        return translation_html(self.source, self.target or "", self.clearest())

    def clearest(self) -> Attended | None:
        """What is drawn when nobody chose: a cross-attention, or, of a text without a translation, the last layer."""
        if self.target is None:
            return self.layers[-1] if self.layers else None
        layer = clearest_cross(one.layer for one in self.layers)
        return None if layer is None else self[layer]


class Trained(ABC):
    """A trained model with its recipe, whatever it reads or looks at."""

    def __init__(self, folder: RunFolder, recipe: Recipe, model: nn.Module, *, untrained: tuple[str, ...] = ()) -> None:
        """``untrained`` are heads of the model for which the folder has no weights."""
        self.folder = folder
        self.recipe = recipe
        self.model = model
        self.untrained = untrained

    def __repr__(self) -> str:
        return f"Run({str(self.folder.path)!r}, {self.recipe.model.preset})"

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the attention layers, for ``saccade.record``."""
        return tuple(attention_layers(self.model))

    @property
    def grid(self) -> Grid | None:
        """The places of a picture, where pictures are read; None where texts are."""
        return None

    @abstractmethod
    def look(self, subject: Any, /, *, asked: Asked = EVERYTHING) -> Look:
        """Reads a text or a picture and keeps what every layer looks at, or those ``asked`` for, changed as asked."""

    def twin(self) -> Self:
        """The same run with a model of its own, so that two threads never listen to the same layers.

        Weights are shared.
        """
        tensors = (*self.model.parameters(), *self.model.buffers())
        other = copy.copy(self)
        other.model = copy.deepcopy(self.model, {id(tensor): tensor for tensor in tensors})
        for layer in attention_layers(other.model).values():
            layer.listener = None  # whoever records this run now does not record its twin
        return other

    def test_set(self, data: str | None = None) -> str:
        """What to evaluate on: ``data``, or the recipe's test set."""
        spec = data or self.recipe.data.test
        if spec is None:
            raise DataError("the recipe names no data.test: say what to evaluate on, with --data on the command line")
        return spec


class Run(Trained):
    """A trained model of texts, with its tokenizers."""

    def __init__(
        self,
        folder: RunFolder,
        recipe: Recipe,
        model: nn.Module,
        tokenizers: Tokenizers,
        untrained: tuple[str, ...] = (),
    ) -> None:
        super().__init__(folder, recipe, model, untrained=untrained)
        self.tokenizers = tokenizers

    @property
    def validated(self) -> bool:
        """Whether the examples that it was validated on are there; an imported run has none."""
        return (self.folder.data / "valid.jsonl").exists()

    @abstractmethod
    def example(self) -> Look:
        """A validation example, and what every layer looks at in it."""
