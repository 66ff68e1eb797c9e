"""Small trainings, in this process and in others, and what must be equal when two of them are."""

import hashlib
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from torch import nn

from command import SACCADE, environment
from saccade.recipe import TrainSection
from saccade.tasks.corpus import CorpusSettings
from saccade.tasks.translation import TranslationTask
from saccade.training.flops import measured_cost
from saccade.training.folder import RunFolder
from saccade.training.loop import Training
from saccade.training.progress import Progress
from saccade.training.setup import warmup_steps
from tasks.parts import many_pairs, model_for, prepared, task_for, write_pairs

CLOCK = ("seconds", "tokens_per_second")


class Told:
    """A watch that remembers."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.steps: list[int] = []
        self.rows: list[dict[str, Any]] = []

    def stepped(self, progress: Progress, loss: float) -> None:
        self.losses.append(loss)
        self.steps.append(progress.step)

    def validated(self, row: dict[str, Any]) -> None:
        self.rows.append(row)


def small_task(place: Path, *, batch_tokens: int = 64) -> TranslationTask:
    """24 pairs to train on, the first five of them to validate on."""
    place.mkdir(parents=True, exist_ok=True)
    train = write_pairs(place / "train.tsv", many_pairs(24))
    valid = write_pairs(place / "valid.tsv", many_pairs(5))
    corpus, _ = prepared(place / "corpus", CorpusSettings(train=(train,), valid=(valid,), kind="words"))
    return task_for(corpus, batch_tokens=batch_tokens)


def settings(**changes: Any) -> TrainSection:
    given = {"budget": "12 steps", "validate_every": "6 steps", "warmup": 2, "log_every": 3, "metric": "loss"}
    return TrainSection.model_validate({**given, **changes})


def training(place: Path, task: TranslationTask, model: nn.Module | None = None, **changes: Any) -> Training:
    """Begins in ``place/run``, or goes on there."""
    place.mkdir(parents=True, exist_ok=True)
    path = place / "run"
    folder = RunFolder.open(path) if path.exists() else RunFolder.create(path, "")
    model = model_for(task.corpus.tokenizers) if model is None else model
    how = settings(**changes)
    cost = measured_cost(task, model)
    return Training(task, model, how, folder, seed=1, warmup=warmup_steps(how, task, cost), cost=cost, watch=Told())


def rows_of(run: Path) -> list[dict[str, Any]]:
    """The rows of metrics.jsonl, without what tells of the clock."""
    read = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{key: value for key, value in row.items() if key not in CLOCK} for row in read]


def outcome(run: Path) -> dict[str, Any]:
    """Everything that a training leaves, bit by bit, but for the clock and the memory it took."""
    files = {
        str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest()
        for pattern in ("model.safetensors", "last/*.safetensors", "samples/*", "data/*", "tokenizer*.json")
        for path in run.glob(pattern)
    }
    progress = json.loads((run / "last" / "state.json").read_text(encoding="utf-8"))["state"]["progress"]
    known = {key: value for key, value in progress.items() if key not in ("seconds", "metrics_bytes", "memory")}
    return {"files": files, "progress": known, "metrics": rows_of(run)}


class Process:
    """A `saccade` that runs beside the test, and not longer than it."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self.log = cwd / f"stderr-{time.monotonic_ns()}.txt"
        with self.log.open("wb") as log:
            self.popen = subprocess.Popen(
                [*SACCADE, *arguments], cwd=cwd, stdout=subprocess.DEVNULL, stderr=log, env=environment()
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.popen.kill()
        self.popen.wait()

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_until(self, happened: Callable[[], bool]) -> None:
        """Returns when it has happened, while the process runs."""
        while not happened():
            assert self.popen.poll() is None, f"ended with {self.popen.returncode} before: {self.said()}"
            time.sleep(0.005)

    def wait(self) -> int:
        return self.popen.wait(timeout=180)
