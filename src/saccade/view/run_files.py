"""What a run folder holds for its report, read patiently: a run may be going on, young, or broken off."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from saccade.errors import RunError

Row = dict[str, Any]
_T = TypeVar("_T")


@dataclass(frozen=True)
class Sample:
    """One sentence that was translated during training."""

    source: str
    reference: str
    hypothesis: str


@dataclass(frozen=True)
class SampleSet:
    """The samples of one step."""

    step: int
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class RunFiles:
    """The readable parts. ``notes`` names, in sentences, whatever could not be read."""

    name: str
    train: tuple[Row, ...] = ()
    valid: tuple[Row, ...] = ()
    samples: tuple[SampleSet, ...] = ()
    results: tuple[Row, ...] = ()
    recipe: str | None = None
    notes: tuple[str, ...] = field(default=())


def number(row: Row, key: str) -> float:
    """The number at ``key``; NaN when it is absent or something else, such as null."""
    value = row.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def read_run(folder: Path) -> RunFiles:
    """Everything a report shows. Only a missing folder is an error; missing files are empty parts."""
    if not folder.is_dir():
        raise RunError(f"{folder} is not a folder: a report is made from the folder of a run")
    notes: list[str] = []
    rows = _metrics(folder / "metrics.jsonl", notes)
    recipe = folder / "recipe.yaml"
    return RunFiles(
        name=folder.resolve().name,
        train=_without_undone([row for row in rows if row.get("kind") == "train"]),
        valid=_without_undone([row for row in rows if row.get("kind") == "valid"]),
        samples=_samples(folder / "samples", notes),
        results=_results(folder / "results.json", notes),
        recipe=recipe.read_text(encoding="utf-8", errors="replace") if recipe.is_file() else None,
        notes=tuple(notes),
    )


def _metrics(path: Path, notes: list[str]) -> list[Row]:
    if not path.is_file():
        return []
    rows: list[Row] = []
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for place, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if isinstance(row, dict):
            rows.append(row)
        elif place < len(lines):
            # what follows the last line break is a row still being written, and no reason for a remark
            notes.append(f"Line {place} of metrics.jsonl could not be read and is left out.")
    return rows


def _without_undone(rows: list[Row]) -> tuple[Row, ...]:
    """A run that went on from an earlier checkpoint repeats steps: the later rows count, those undone are dropped."""
    kept: list[Row] = []
    for row in rows:
        if math.isnan(number(row, "step")):
            continue
        while kept and kept[-1]["step"] >= row["step"]:
            kept.pop()
        kept.append(row)
    return tuple(kept)


def _samples(folder: Path, notes: list[str]) -> tuple[SampleSet, ...]:
    sets = [_read(path, _sample_set, notes) for path in folder.glob("*.json")]
    return tuple(sorted((found for found in sets if found is not None), key=lambda found: found.step, reverse=True))


def _sample_set(content: Any) -> SampleSet:
    samples = tuple(
        Sample(*(str(sample[key]) for key in ("source", "reference", "hypothesis"))) for sample in content["samples"]
    )
    return SampleSet(step=int(content["step"]), samples=samples)


def _results(path: Path, notes: list[str]) -> tuple[Row, ...]:
    return (_read(path, _newest_first, notes) or ()) if path.is_file() else ()


def _newest_first(content: Any) -> tuple[Row, ...]:
    return tuple({**entry, "scores": [dict(score) for score in entry["scores"]]} for entry in content["results"])[::-1]


def _read(path: Path, make: Callable[[Any], _T], notes: list[str]) -> _T | None:
    try:
        return make(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError):
        notes.append(f"{path.name} could not be read and is left out.")
        return None
