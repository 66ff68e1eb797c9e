"""Trains recipes, with several seeds if asked for, scores every run, and keeps scores and costs in one file.

    python benchmarks/trainings.py --init-from runs/minilm --seeds 3 --json results/glue.json glue-sst2 glue-mrpc
    python benchmarks/trainings.py --json results/captions.json scenes-caption-soft "scenes-caption-hard train.lr=1e-3"

A system is a recipe, in quotes with what is to be set in it. Stopped at any moment, the same command goes on: a run
that is trained and scored is left as it is, one that is not is resumed. The file is written anew after every run.
"""

import argparse
import hashlib
import json
import re
import shlex
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.evaluation.results import read_results
from saccade.files import write_text
from saccade.training.checkpoint import Checkpoint
from saccade.training.folder import RunFolder

RUNS = Path("runs/trainings")
LONGEST_NAME = 120


@dataclass(frozen=True)
class System:
    """A recipe, and the keys that are set in it."""

    recipe: str
    overrides: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "System":
        recipe, *overrides = shlex.split(text)
        return cls(recipe, tuple(overrides))

    @property
    def name(self) -> str:
        """What ``parse`` reads."""
        return shlex.join((self.recipe, *self.overrides))

    def folder(self, runs: Path, seed: int) -> Path:
        """Named by what is set; where that would be too long for a file system, by its beginning and a checksum."""
        name = re.sub(r"[^\w.=-]+", "-", " ".join((self.recipe, *self.overrides, f"seed={seed}")))
        if len(name) > LONGEST_NAME:
            name = f"{name[:LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        return runs / name


def saccade(*arguments: str) -> None:
    """The command line in a process of its own; its lines go to standard error."""
    done = subprocess.run([sys.executable, "-P", "-m", "saccade", *arguments], stdout=sys.stderr, check=False)
    if done.returncode:
        raise SystemExit(f"saccade {shlex.join(arguments)} ended with code {done.returncode}; the same command goes on")


def scored(path: Path, *arguments: str) -> dict[str, Any]:
    """What a run cost and how it scored, as plain values; trained with these arguments, or gone on with, if need be."""
    if not path.exists():
        saccade("train", *arguments, "--run", str(path))
    elif not read_results(path):
        saccade("resume", str(path))
    if not read_results(path):
        saccade("evaluate", str(path))
    result = read_results(path)[-1]
    cost = Checkpoint(RunFolder(path).last).progress()
    return {
        "steps": cost.step,
        "epochs": round(cost.epochs, 2),
        "training_minutes": round(cost.seconds / 60, 1),
        **{key: result[key] for key in ("scores", "data", "sentences", "decode", "machine", "date")},
    }


def trained(system: System, seed: int, asked: argparse.Namespace) -> dict[str, Any]:
    """One run, trained and scored."""
    begin = () if asked.init_from is None else ("--init-from", str(asked.init_from))
    keys = (system.recipe, *system.overrides, f"seed={seed}")
    return {"seed": seed, **scored(system.folder(asked.runs, seed), *keys, *begin)}


def spread(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Mean, least and greatest of each score over the seeds."""
    found: dict[str, list[float]] = {}
    for run in runs:
        for score in run["scores"]:
            found.setdefault(score["name"], []).append(score["value"])
    return {
        name: {"mean": statistics.mean(values), "least": min(values), "greatest": max(values)}
        for name, values in found.items()
    }


def line(name: str, runs: list[dict[str, Any]]) -> str:
    scores = ", ".join(
        f"{score} {of['mean']:.2f}" + (f" ({of['least']:.2f} to {of['greatest']:.2f})" if len(runs) > 1 else "")
        for score, of in spread(runs).items()
    )
    minutes = statistics.mean(run["training_minutes"] for run in runs)
    return f"{name}: {scores}; {len(runs)} × {minutes:.1f} minutes of training"


def asked_for(system: System, asked: argparse.Namespace) -> str:
    """The command that gives one system's numbers."""
    begin = [] if asked.init_from is None else ["--init-from", str(asked.init_from)]
    seeds = [] if asked.seeds == 1 else ["--seeds", str(asked.seeds)]
    runs = [] if asked.runs == RUNS else ["--runs", str(asked.runs)]
    return shlex.join(["python", "benchmarks/trainings.py", *begin, *seeds, *runs, system.name])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="+", type=System.parse, metavar="SYSTEM", help="a recipe, with KEY=VALUE")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each system, with the seeds 1, 2, …")
    parser.add_argument("--init-from", type=Path, help="the run whose weights all begin with")
    parser.add_argument("--runs", type=Path, default=RUNS, help="where the run folders are")
    parser.add_argument("--json", type=Path, help="keep the result here; what it has of other systems stays in it")
    asked = parser.parse_args()
    asked.runs.mkdir(parents=True, exist_ok=True)
    kept: dict[str, Any] = {}
    if asked.json is not None and asked.json.exists():
        kept = json.loads(asked.json.read_text(encoding="utf-8"))["systems"]
    # Every system once before any a second time: whenever this is stopped, each has had its turn.
    for seed in range(1, asked.seeds + 1):
        for system in asked.systems:
            others = [run for run in kept.get(system.name, {"runs": []})["runs"] if run["seed"] != seed]
            runs = sorted([*others, trained(system, seed, asked)], key=lambda run: int(run["seed"]))
            kept[system.name] = {"command": asked_for(system, asked), **spread(runs), "runs": runs}
            print(line(system.name, runs), flush=True)
            if asked.json is not None:
                write_text(asked.json, json.dumps({"systems": kept}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
