"""Small drawn pictures of two or three colours, told apart at a glance."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from command import command
from saccade.models import PictureModel, Vocabulary, build_model
from saccade.tasks.picture_classes import PictureTask
from saccade.tasks.picture_corpus import PictureCorpus, PictureSettings, open_picture_corpus, prepare_pictures
from saccade.tasks.sight import Sight

COLOURS = {"blue": (40, 60, 210), "green": (40, 180, 60), "red": (200, 40, 40)}
SMALL_VIT = {"size": 8, "patch": 4, "dim": 16, "heads": 2, "layers": 2, "dropout": 0.0}
SMALL_RESNET = {"width": 4, "blocks": "1,1"}


def square(colour: tuple[int, int, int], dice: np.random.Generator) -> Image.Image:
    """A coloured square somewhere on noise."""
    pixels = dice.integers(0, 60, (20, 24, 3))
    down, right = dice.integers(0, 10, 2)
    pixels[down : down + 10, right : right + 10] = np.array(colour) + dice.integers(-30, 30, (10, 10, 3))
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def draw_folder(root: Path, count: int, *, colours: dict[str, tuple[int, int, int]] = COLOURS, seed: int = 1) -> str:
    """``root/red/0.png`` and so on: so many of every colour."""
    dice = np.random.default_rng(seed)
    for name, colour in colours.items():
        (root / name).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            square(colour, dice).save(root / name / f"{number}.png")
    return str(root)


@cache
def vit_in(place: Path) -> Path:
    """``place/squares``: a small ViT that has begun to tell the colours apart, on 4 × 4 patches."""
    return _trained(place / "squares", "vit-mini", "model.size=16", "model.dim=24", "model.layers=2", "model.dropout=0")


@cache
def cnn_in(place: Path) -> Path:
    """``place/cnn``: a ResNet of the same."""
    return _trained(place / "cnn", "resnet-mini", "model.width=4", "data.pixels=16")


def _trained(run: Path, *arguments: str) -> Path:
    data = draw_folder(run.with_name(f"{run.name}-drawn"), 24)
    how = ("data.holdout=0.15", "train.threads=1", "train.batch_pictures=16", "train.lr=3e-3", "train.budget=24 steps")
    done = command("train", *arguments, f"data.train={data}", *how, "--run", str(run))
    assert done.exit_code == 0, done.stderr
    return run


def prepared(place: Path, *, given: Sight | None = None, **settings: Any) -> tuple[PictureCorpus, list[str]]:
    """The corpus, and what was said while it was made."""
    said: list[str] = []
    place.mkdir(parents=True, exist_ok=True)
    chosen = PictureSettings(**{"pixels": 8, "holdout": 0.2, **settings})
    prepare_pictures(place / "data", place, chosen, said.append, given=given)
    return open_picture_corpus(place / "data", place), said


def task_for(corpus: PictureCorpus, **changes: Any) -> PictureTask:
    settings: dict[str, Any] = {
        "batch_pictures": 8,
        "seed": 1,
        "label_smoothing": 0.0,
        "augment": "none",
        "mix": 0.0,
        "device": torch.device("cpu"),
    }
    return PictureTask(corpus, **{**settings, **changes})


def model_for(corpus: PictureCorpus, preset: str = "vit-mini") -> PictureModel:
    torch.manual_seed(1)
    options = SMALL_VIT if preset == "vit-mini" else SMALL_RESNET
    vocabulary = Vocabulary(source=0, target=0, shared=True, labels=len(corpus.sight.labels))
    built = build_model(preset, options, vocabulary)
    assert isinstance(built, PictureModel)
    return built
