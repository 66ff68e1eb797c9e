"""What is known of any system once it is trained: what it is, what its training cost, how fast it answers."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from saccade.errors import RunError
from saccade.evaluation.resampling import Interval
from saccade.evaluation.translation import Score
from saccade.files import write_text
from saccade.runs import Trained
from saccade.training.checkpoint import Checkpoint

WARM = 16  # examples answered before the clock runs, so that no system pays for the first use of memory and kernels

Telling = Callable[[int], AbstractContextManager[Callable[[int], None]]]
"""Given the number of examples, somebody who wants to hear how many are done."""


@dataclass(frozen=True, kw_only=True)
class System(ABC):
    """One system. ``seconds`` is its training with all validations, ``memory`` the peak of its processes in bytes.

    ``decoding_seconds`` is the time to answer the whole test set with the settings ``decode``.
    """

    name: str
    preset: str
    run: str
    parameters: int
    steps: int
    epochs: float
    tokens: int
    flops: int
    seconds: float
    memory: int
    decode: dict[str, Any]
    decoding_seconds: float
    machine: dict[str, Any]
    date: str

    @property
    @abstractmethod
    def scores(self) -> tuple[Score, ...]:
        """What it is judged by comes first."""

    @property
    @abstractmethod
    def answers(self) -> tuple[str, ...]:
        """What it said of each example."""

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """All numbers as plain values; the answers themselves are left out."""

    @classmethod
    @abstractmethod
    def of_json(cls, said: dict[str, Any]) -> Self:
        """From what :meth:`save` wrote."""

    @property
    def score(self) -> Score:
        return self.scores[0]

    @property
    def per_second(self) -> float:
        return len(self.answers) / self.decoding_seconds

    def save(self, path: Path) -> None:
        write_text(path, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path: Path) -> Self:
        try:
            return cls.of_json(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path} is damaged ({error}): remove it, and the system is evaluated again") from error


def cost_of(run: Trained, *, name: str) -> dict[str, Any]:
    """The fields of a system that tell of its training."""
    done = Checkpoint(run.folder.last).progress()
    return {
        "name": name,
        "preset": run.recipe.model.preset,
        "run": str(run.folder.path),
        "parameters": sum(parameter.numel() for parameter in run.model.parameters()),
        "steps": done.step,
        "epochs": done.epochs,
        "tokens": done.tokens,
        "flops": done.flops,
        "seconds": done.seconds,
        "memory": done.memory,
    }


def score_of_json(said: dict[str, Any]) -> Score:
    interval = said["interval"]
    return Score(**{**said, "interval": None if interval is None else Interval(**interval)})
