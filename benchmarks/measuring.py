"""What the benchmarks share: contenders in processes of their own, in turn, and a table of medians and ratios."""

import argparse
import json
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

PATIENCE = 60  # seconds: who takes longer is measured once, since further rounds would cost minutes


@dataclass(frozen=True)
class Contender:
    """Somebody to be measured, in a process of its own and with the Python that has what it needs."""

    name: str
    python: str = sys.executable


def in_turn(
    script: str, contenders: list[Contender], arguments: list[str], *, rounds: int
) -> dict[str, list[dict[str, Any]]]:
    """Runs ``script --only NAME`` for each contender, round after round; what each prints last is its JSON result.

    Who is out of patience in the first round is spared the others.
    """
    found: dict[str, list[dict[str, Any]]] = {one.name: [] for one in contenders}
    slow: set[str] = set()
    for number in range(rounds):
        for one in contenders:
            if one.name in slow:
                continue
            began = time.monotonic()
            print(f"round {number + 1} of {rounds}: {one.name}", file=sys.stderr, flush=True)
            done = subprocess.run(
                [one.python, script, "--only", one.name, *arguments], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise SystemExit(f"{one.name} failed:\n{done.stderr}")
            found[one.name].append(json.loads(done.stdout.splitlines()[-1]))
            if time.monotonic() - began > PATIENCE:
                slow.add(one.name)
    return found


def load_first(library: str) -> None:
    """What is imported first decides how OpenMP threads wait: Saccade has a say in its own process, not in a peer's."""
    import_module(library)


def medians(found: dict[str, list[dict[str, Any]]], key: str) -> dict[str, float]:
    return {name: statistics.median(one[key] for one in results) for name, results in found.items()}


def table(title: str, unit: str, values: dict[str, float], *, own: str) -> str:
    """Each contender's median, and how many times as fast our own is."""
    lines = [f"{title} ({unit})"]
    lines += [f"  {name:<24} {value:>10,.1f}   {values[own] / value:5.2f} ×" for name, value in values.items()]
    return "\n".join(lines)


def keep(path: Path | None, result: dict[str, Any]) -> None:
    if path is not None:
        from saccade.evaluation.results import machine

        path.write_text(json.dumps({**result, "machine": asdict(machine())}, indent=2) + "\n", encoding="utf-8")


def options(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--only", help="measure this contender in this process and print its JSON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="keep the result here")
    parser.add_argument("--data", type=Path, help="the folder of Multi30k; without it, scenes")
    parser.add_argument("--peers", default=sys.executable, help="the Python that has Hugging Face and CTranslate2")
    parser.add_argument("--joeynmt", help="the Python that has JoeyNMT; without it, JoeyNMT is left out")
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    return parser
