"""What is known of a system once it is trained and evaluated, and the file that keeps it."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from saccade.data.examples import Pair
from saccade.errors import RunError
from saccade.evaluation.resampling import Interval
from saccade.evaluation.translation import Score
from saccade.files import write_text
from saccade.runs import Ensemble, load_translator
from saccade.training.checkpoint import Checkpoint
from saccade.training.folder import RunFolder

WARM = 16  # sentences translated before the clock runs, so that no system pays for the first use of memory and kernels

Translating = Callable[[int], AbstractContextManager[Callable[[int], None]]]
"""Given the number of sentences, somebody who wants to hear how many are done."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One system. ``seconds`` is its training with all validations, ``memory`` the peak of its processes in bytes.

    ``decoding_seconds`` is the time to translate the test set with the settings ``decode``.
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
    bleu: Score
    chrf: Score
    decode: dict[str, Any]
    decoding_seconds: float
    alignment: dict[str, Any] | None
    machine: dict[str, Any]
    date: str
    translations: tuple[str, ...]

    @property
    def sentences_per_second(self) -> float:
        return len(self.translations) / self.decoding_seconds

    @property
    def alignment_error(self) -> float | None:
        return None if self.alignment is None else float(self.alignment["error_rate"])

    def save(self, path: Path) -> None:
        write_text(path, json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, path: Path) -> "Measured":
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            scores = {name: _score(said.pop(name)) for name in ("bleu", "chrf")}
            return cls(**{**said, **scores, "translations": tuple(said["translations"])})
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path} is damaged ({error}): remove it, and the system is evaluated again") from error


def measure(
    run: RunFolder, pairs: Sequence[Pair], *, name: str, data: str, command: str, translating: Translating
) -> Measured:
    """Evaluates a trained run on the test pairs; the evaluation is kept in the run's results.json as well."""
    trained = load_translator(run.path)
    done = Checkpoint(run.last).progress()
    ensemble = Ensemble([trained])
    ensemble.translate([pair.source for pair in pairs[:WARM]])
    with translating(len(pairs)) as told:
        found = ensemble.evaluate(data, pairs=pairs, command=command, on_progress=told)
    result = asdict(found.result)
    return Measured(
        name=name,
        preset=trained.recipe.model.preset,
        run=str(run.path),
        parameters=sum(parameter.numel() for parameter in trained.model.parameters()),
        steps=done.step,
        epochs=done.epochs,
        tokens=done.tokens,
        flops=done.flops,
        seconds=done.seconds,
        memory=done.memory,
        bleu=found.scores.bleu,
        chrf=found.scores.chrf,
        decode=result["decode"],
        decoding_seconds=found.result.seconds,
        alignment=result["alignment"],
        machine=result["machine"],
        date=found.result.date,
        translations=tuple(one.text for one in found.translations),
    )


def _score(said: dict[str, Any]) -> Score:
    interval = said["interval"]
    return Score(**{**said, "interval": None if interval is None else Interval(**interval)})
