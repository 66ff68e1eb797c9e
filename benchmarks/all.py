"""All benchmarks, one table of ratios; `make bench` runs it. With --json FILE everything measured is kept there."""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent


def run(script: str, arguments: list[str], result: Path) -> dict[str, Any]:
    subprocess.run([sys.executable, str(HERE / script), *arguments, f"--json={result}"], check=True)
    found: dict[str, Any] = json.loads(result.read_text())
    return found


@dataclass(frozen=True)
class Ratio:
    """How many times as fast as a peer Saccade does something."""

    what: str
    peer: str
    times: float


def ratios(what: str, values: dict[str, float]) -> list[Ratio]:
    return [Ratio(what, name, values["saccade"] / value) for name, value in values.items() if name != "saccade"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="the folder of Multi30k; without it, scenes")
    parser.add_argument("--peers", default=sys.executable, help="the Python that has Hugging Face and CTranslate2")
    parser.add_argument("--joeynmt", help="the Python that has JoeyNMT")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", type=Path, help="keep everything here")
    asked = parser.parse_args()
    data = [f"--data={asked.data}"] if asked.data else []
    peers = [f"--peers={asked.peers}", f"--rounds={asked.rounds}", *data]
    joeynmt = [f"--joeynmt={asked.joeynmt}"] if asked.joeynmt else []
    with TemporaryDirectory(prefix="saccade-bench-") as place:
        result = Path(place) / "result.json"
        measured = {
            "training": run("training.py", ["--steps=8", *peers, *joeynmt], result),
            "training at dim 512": run(
                "training.py", ["--shape=base", "--alone", "--steps=5", "--rounds=1", *data], result
            ),
            "decoding": run("decoding.py", peers, result),
            "memory": run("memory.py", [], result),
            "generation": run("generation.py", [f"--peers={asked.peers}", f"--rounds={asked.rounds}"], result),
        }
    print("\nSaccade against its peers, times as fast")
    found = ratios(f"training, {measured['training']['data']}", measured["training"]["tokens_per_second"])
    for title, values in measured["decoding"]["sentences_per_second"].items():
        found += ratios(title, values)
    for title, values in measured["generation"]["tokens_per_second"].items():
        found += ratios(f"generation, {title}", values)
    for one in found:
        print(f"  {one.what:<28} {one.peer:<24} {one.times:6.2f} ×")
    print(f"  share of the matrix-multiply peak at dim 512: {measured['training at dim 512']['share_of_peak']:.0%}")
    if asked.json:
        asked.json.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
