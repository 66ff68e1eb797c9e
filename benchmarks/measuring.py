"""What the benchmarks share: contenders in processes of their own, in turn, and a table of medians and ratios."""

import argparse
import json
import statistics
import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any


def in_turn(
    script: str, contenders: list[str], arguments: list[str], *, rounds: int
) -> dict[str, list[dict[str, Any]]]:
    """Runs ``script --only NAME`` for each contender, round after round; what each prints last is its JSON result."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name in contenders:
            print(f"round {number + 1} of {rounds}: {name}", file=sys.stderr, flush=True)
            done = subprocess.run(
                [sys.executable, script, "--only", name, *arguments], capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise SystemExit(f"{name} failed:\n{done.stderr}")
            found[name].append(json.loads(done.stdout.splitlines()[-1]))
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
    return parser
