"""How memory and time grow: peak memory of training and decoding against length and batch.

Every figure is the peak of a fresh process less what it had with the model loaded. The exponent is that of the growth
from the last length but one to the last: 1 is linear, 2 is quadratic.
"""

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import keep

VOCABULARY = 8_000
WORK: dict[str, tuple[str, list[int]]] = {
    "attention, fused": ("length, one sentence, forward and backward", [2048, 4096, 8192, 16384]),
    "attention, explicit": ("length, one sentence, forward and backward", [1024, 2048, 4096]),
    "attention, window of 64": ("length, one sentence, forward and backward", [2048, 4096, 8192, 16384]),
    "training": ("length, one pair, transformer-small", [1024, 2048, 4096, 8192]),
    "training by batch": ("pairs of 32 tokens, transformer-small", [32, 64, 128, 256]),
    "decoding": ("length written, 4 sentences, beam 5, transformer-small", [64, 128, 256, 512]),
    "decoding by batch": ("sentences of 32 tokens, beam 5, transformer-small", [32, 64, 128, 256]),
}


def attention(length: int, *, explicit: bool = False, window: int | None = None) -> Callable[[], None]:
    import torch

    from saccade.attention import Mask, MultiHead

    layer = MultiHead(dim=256, heads=4)
    x = torch.randn(1, length, 256, requires_grad=True)
    mask = Mask(causal=True, window=window)
    if explicit:
        layer.listener = _Looking()
    return lambda: layer(x, mask=mask).sum().backward()


class _Looking:
    """Listens, and gives the weights back, so that they are used as they were written out."""

    def see(self, weights: Any) -> Any:
        return weights


def training(rows: int, length: int) -> Callable[[], None]:
    import torch

    from saccade.models import Vocabulary, build_model

    model: Any = build_model("transformer-small", {}, Vocabulary(VOCABULARY, VOCABULARY, True)).train()
    source, target = (torch.randint(4, VOCABULARY, (rows, length)) for _ in range(2))

    def step() -> None:
        model.loss(model(source, target).flatten(0, 1), target.flatten(), label_smoothing=0.1).backward()

    return step


def decoding(rows: int, length: int) -> Callable[[], None]:
    import torch

    from saccade.decoding import BeamSettings, ModelSteps, beam_search
    from saccade.models import Vocabulary, build_model

    model: Any = build_model("transformer-small", {}, Vocabulary(VOCABULARY, VOCABULARY, True)).eval()
    source = torch.randint(4, VOCABULARY, (rows, 32))

    def decode() -> None:
        with torch.no_grad():
            search = beam_search(
                lambda new: ModelSteps(model, source[list(new)]),
                [length] * rows,
                BeamSettings(5),
                bos_id=1,
                eos_id=2,
                device=torch.device("cpu"),
            )
            list(search)

    return decode


def work(name: str, size: int) -> Callable[[], None]:
    match name:
        case "attention, fused":
            return attention(size)
        case "attention, explicit":
            return attention(size, explicit=True)
        case "attention, window of 64":
            return attention(size, window=64)
        case "training":
            return training(1, size)
        case "training by batch":
            return training(size, 32)
        case "decoding":
            return decoding(4, size)
        case _:
            return decoding(size, 32)


def measure(name: str, size: int, threads: int) -> dict[str, float]:
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    run = work(name, size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    run()
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"megabytes": (peak - before) / 1024, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs=2, metavar=("WORK", "SIZE"), help="measure this in this process, print JSON")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="keep the result here")
    asked = parser.parse_args()
    if asked.only:
        print(json.dumps(measure(asked.only[0], int(asked.only[1]), asked.threads)))
        return
    found: dict[str, Any] = {}
    for name, (what, sizes) in WORK.items():
        rows = []
        for size in sizes:
            command = [sys.executable, __file__, "--only", name, str(size), f"--threads={asked.threads}"]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append({"size": size, **json.loads(done.stdout.splitlines()[-1])})
        growth = {
            key: math.log2(rows[-1][key] / rows[-2][key]) / math.log2(rows[-1]["size"] / rows[-2]["size"])
            for key in ("megabytes", "seconds")
        }
        found[name] = {"size": what, "measured": rows, "exponent": growth}
        print(f"{name} ({what})")
        for row in rows:
            print(f"  {row['size']:>6,}  {row['megabytes']:>9,.0f} MB  {row['seconds']:>8.2f} s")
        print(f"  grows like size^{growth['megabytes']:.1f} in memory, size^{growth['seconds']:.1f} in time")
    keep(asked.json, {"benchmark": "memory", "growth": found})


if __name__ == "__main__":
    main()
