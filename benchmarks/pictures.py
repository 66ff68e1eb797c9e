"""CIFAR-10 in a fixed time: ``saccade train cifar10-resnet`` against Hugging Face's ResNet-18 in a plain loop.

    python benchmarks/pictures.py --data FOLDER --minutes 20 --json results/cifar10.json

All learn at the same time, each with one thread of a process of its own, from the same 50,000 pictures (ours
holds two of a hundred out to choose its weights by), which are decoded before the time begins, moved and mirrored
alike, in bfloat16, with channels last. The peers learn as is usual
for them: SGD with momentum 0.9, weight decay 5e-4, a rate that rises to 0.1 and falls to 0 over the given time, batches
of 128. ``resnet-18`` is the model as it is published, whose stem makes pictures four times smaller; ``resnet-18 small
stem`` keeps them as they are, as is usual for CIFAR. Accuracy is of the 5,000 test pictures, seen once, in the end.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from measuring import keep
from trainings import scored

OURS = "saccade"
PEERS = ("resnet-18", "resnet-18 small stem")
BATCH = 128
HIGHEST, MOMENTUM, DECAY = 0.1, 0.9, 5e-4
RISES = 0.2  # of the time


def ours(data: Path, minutes: float, runs: Path) -> dict[str, Any]:
    result = scored(
        runs / "cifar10-resnet",
        "cifar10-resnet",
        f"data.train={data / 'train.parquet'}",
        f"data.test={data / 'test.parquet'}",
        f"train.budget={minutes:g} minutes",
        "train.precision=bfloat16",
        "train.threads=1",
    )
    accuracy = next(score for score in result["scores"] if score["name"] == "accuracy")
    return {"accuracy": accuracy["value"], "epochs": result["epochs"], "minutes": result["training_minutes"]}


def peer(data: Path, minutes: float, *, small_stem: bool) -> dict[str, Any]:
    """The plain loop."""
    import numpy as np
    import torch
    from torch.nn.functional import cross_entropy

    from saccade.data.images.reading import read_picture
    from saccade.data.images.tensors import measured_channels, to_tensor
    from saccade.data.images.variation import variation
    from saccade.data.sources import read_pictured

    torch.set_num_threads(1)
    torch.manual_seed(1)

    def read(split: str) -> tuple[Any, Any]:
        found = list(read_pictured(str(data / f"{split}.parquet")))
        names = sorted({str(one.label) for one in found})
        pixels = np.stack([read_picture(one.picture, size=32) for one in found])
        return pixels, torch.tensor([names.index(str(one.label)) for one in found])

    (pixels, labels), (test_pixels, test_labels) = read("train"), read("test")
    channels = measured_channels(pixels)
    varied = variation("light", pixels=32)
    generator = torch.Generator().manual_seed(1)
    model = resnet18(small_stem=small_stem).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), momentum=MOMENTUM, weight_decay=DECAY, nesterov=True)
    began, seen = time.monotonic(), 0
    order = torch.empty(0, dtype=torch.long)
    while (spent := (time.monotonic() - began) / (60 * minutes)) < 1:
        if len(order) < BATCH:
            order = torch.randperm(len(labels), generator=generator)
        rows, order = order[:BATCH], order[BATCH:]
        for group in optimizer.param_groups:
            group["lr"] = HIGHEST * min(spent / RISES, (1 - spent) / (1 - RISES))
        pictures = varied(to_tensor(pixels[rows.numpy()]), channels.normalise, generator)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = model(pictures.contiguous(memory_format=torch.channels_last)).logits
        optimizer.zero_grad()
        cross_entropy(scores.float(), labels[rows]).backward()
        optimizer.step()
        seen += len(rows)
    model.eval()
    with torch.inference_mode():
        said = [
            model(channels.normalise(to_tensor(test_pixels[at : at + BATCH]))).logits.argmax(dim=1)
            for at in range(0, len(test_labels), BATCH)
        ]
    right = (torch.cat(said) == test_labels).float().mean().item()
    return {"accuracy": 100 * right, "epochs": round(seen / len(labels), 2), "minutes": minutes}


def resnet18(*, small_stem: bool) -> Any:
    from torch import nn
    from transformers import ResNetConfig, ResNetForImageClassification

    config = ResNetConfig(embedding_size=64, hidden_sizes=[64, 128, 256, 512], depths=[2, 2, 2, 2], layer_type="basic")
    config.num_labels = 10
    model: Any = ResNetForImageClassification(config)
    if small_stem:
        model.resnet.embedder.embedder.convolution = nn.Conv2d(3, 64, 3, padding=1, bias=False)
        model.resnet.embedder.pooler = nn.Identity()
    return model.train()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with train.parquet and test.parquet")
    parser.add_argument("--minutes", type=float, default=20, help="how long each may learn")
    parser.add_argument("--contenders", nargs="+", choices=(OURS, *PEERS), default=[OURS, PEERS[0]])
    parser.add_argument("--runs", type=Path, default=Path("runs/pictures"), help="where our run folder is")
    parser.add_argument("--json", type=Path, help="keep the result here")
    parser.add_argument("--only", choices=(OURS, *PEERS), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.only == OURS:
        print(json.dumps(ours(asked.data, asked.minutes, asked.runs)))
    elif asked.only is not None:
        print(json.dumps(peer(asked.data, asked.minutes, small_stem=asked.only == PEERS[1])))
    else:
        side_by_side(asked)


def side_by_side(asked: argparse.Namespace) -> None:
    """All contenders at once, as many as there are cores for."""
    if len(asked.contenders) > (os.cpu_count() or 1):
        raise SystemExit(f"{len(asked.contenders)} contenders need a core each; this machine has {os.cpu_count()}")
    asked.runs.mkdir(parents=True, exist_ok=True)
    same = ["--data", str(asked.data), "--minutes", f"{asked.minutes:g}", "--runs", str(asked.runs)]
    running = {
        name: subprocess.Popen([sys.executable, __file__, "--only", name, *same], stdout=subprocess.PIPE, text=True)
        for name in asked.contenders
    }
    found = {}
    for name, process in running.items():
        printed, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"{name} ended with code {process.returncode}")
        found[name] = json.loads(printed.splitlines()[-1])
        print(f"{name}: {found[name]['accuracy']:.2f} % after {found[name]['epochs']:.1f} epochs", flush=True)
    keep(asked.json, {"command": shlex.join(["python", *sys.argv]), "minutes": asked.minutes, "contenders": found})


if __name__ == "__main__":
    main()
