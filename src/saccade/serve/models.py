"""The runs that are served, under the names that requests call them by."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

import torch

from saccade.attention import attention_layers
from saccade.errors import SaccadeError, ServiceError
from saccade.runs import (
    BertRun,
    CaptionRun,
    ClassifierRun,
    LanguageRun,
    MaskedRun,
    PictureRun,
    Run,
    TaggerRun,
    Trained,
    TranslationRun,
    load,
)
from saccade.runs.labelled import LabelledRun
from saccade.serve.batching import Lane
from saccade.serve.limits import Limits
from saccade.serve.metrics import Labels, Metrics
from saccade.serve.queue import Queue
from saccade.serve.refusals import NotFound, Unfit
from saccade.serve.schemas.models import Example, LayerCard, ModelCard, Verb

Kind = TypeVar("Kind", bound=Trained)

VERBS: tuple[tuple[type[Trained], Verb], ...] = (
    (TranslationRun, "translate"),
    (LanguageRun, "completions"),
    (BertRun, "embeddings"),
    (MaskedRun, "fill"),
    (ClassifierRun, "classify"),
    (TaggerRun, "classify"),
    (PictureRun, "classify"),
    (CaptionRun, "caption"),
)
SOMETHING = "a small red circle is left of two blue squares"


class Served:
    """One run: what it can do, how much it reads, and the queue to it."""

    def __init__(self, name: str, run: Trained, queue: Queue, limits: Limits) -> None:
        self.name, self.run, self.queue, self.limits = name, run, queue, limits
        self.verbs: tuple[Verb, ...] = (
            *(verb for kind, verb in VERBS if isinstance(run, kind)),
            *(("attention",) if run.layers and _places(run) <= limits.look_tokens else ()),
        )
        self.card = self._card()

    def as_(self, kind: type[Kind], verb: Verb) -> Kind:
        """The run, if it can do this."""
        if not isinstance(self.run, kind) or verb not in self.verbs:
            raise Unfit(f"{self.name} is not for {verb}: it can be asked for {', '.join(self.verbs)}", "model")
        return self.run

    @property
    def most(self) -> int:
        """The tokens of a text that can be read: as far as the positions reach, within the service's limit."""
        run, own = self.run, None
        if isinstance(run, TranslationRun) and run.model.max_source_length is not None:
            own = run.model.max_source_length - 1 - bool(run.languages)
        elif isinstance(run, LanguageRun) and run.model.max_length is not None:
            own = run.model.max_length - 1
        elif isinstance(run, BertRun):
            own = run.model.max_length - 2
        return self.limits.tokens if own is None else min(own, self.limits.tokens)

    @property
    def look_most(self) -> int:
        return min(self.most, self.limits.look_tokens)

    def _card(self) -> ModelCard:
        run = self.run
        pictures = run.grid is not None
        return ModelCard(
            id=self.name,
            task=run.recipe.task,
            preset=run.recipe.model.preset,
            parameters=sum(one.numel() for one in run.model.parameters()),
            layers=[
                LayerCard(name=name, heads=layer.heads, kind="cross" if name.endswith(".cross") else "self")
                for name, layer in attention_layers(run.model).items()
            ],
            languages=list(run.languages) if isinstance(run, TranslationRun) else [],
            labels=list(run.labels.names) if isinstance(run, LabelledRun | PictureRun) else [],
            max_input_tokens=None if pictures else self.most,
            max_attention_tokens=None if pictures else self.look_most,
            verbs=list(self.verbs),
            example=_example(run),
        )


class Models:
    """All that is served, by name."""

    def __init__(self, served: Sequence[Served]) -> None:
        self._served = {one.name: one for one in served}

    @classmethod
    def load(
        cls,
        paths: Sequence[Path],
        limits: Limits,
        metrics: Metrics,
        failed: Callable[[str, BaseException], None] = lambda name, error: None,
    ) -> "Models":
        """Opens every run; two folders of one name are told apart by a number."""
        if not paths:
            raise ServiceError("name at least one run to serve")
        runs: dict[str, Trained] = {}
        for path in paths:
            runs[unused(path.absolute().name, runs)] = load(path)
        threads = torch.get_num_threads()
        models = cls(
            [
                Served(name, run, _queue(name, run, limits, metrics, failed, threads), limits)
                for name, run in runs.items()
            ]
        )
        metrics.gauge("saccade_waiting_texts", "Texts that wait for their model.", models.waiting)
        return models

    def __getitem__(self, name: str) -> Served:
        if name not in self._served:
            near = get_close_matches(name, self._served, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise NotFound(f"no model of this name{hint}; there are {', '.join(self._served)}", "model")
        return self._served[name]

    def __iter__(self) -> Iterator[Served]:
        return iter(self._served.values())

    def __len__(self) -> int:
        return len(self._served)

    def waiting(self) -> Mapping[Labels, float]:
        return {(("model", one.name),): float(one.queue.waiting) for one in self}

    def close(self) -> None:
        """Finishes what was taken."""
        for one in self:
            one.queue.close()


def unused(name: str, taken: Mapping[str, object]) -> str:
    """The name, or the name with the first number that is free."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}-{number}", number + 1
    return found


def _queue(
    name: str,
    run: Trained,
    limits: Limits,
    metrics: Metrics,
    failed: Callable[[str, BaseException], None],
    threads: int,
) -> Queue:
    return Queue(
        lambda lane: Lane(
            f"{name}-{lane}",
            run.twin(),
            limits,
            begin=lambda: torch.set_num_threads(threads),
            worked=lambda texts, tokens, gone: metrics.worked(name, texts, tokens, gone),
            failed=lambda error: failed(name, error),
        ),
        limits,
    )


def _places(run: Trained) -> int:
    """Those of a picture that look at each other; of texts there is a limit for each."""
    return run.grid.rows * run.grid.columns if isinstance(run, PictureRun) else 0


def _example(run: Trained) -> Example:
    """A text that the model was validated on, or one of scenes where these are gone; any picture."""
    if not isinstance(run, Run) or run.grid is not None:
        return Example(picture=True)
    try:
        return Example(text=run.example().source)
    except (SaccadeError, OSError, StopIteration):
        return Example(text=SOMETHING)
