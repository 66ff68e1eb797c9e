"""Captioners of scenes with people, hardly trained: enough to speak, to be looked at and to be judged."""

from functools import cache
from pathlib import Path

from PIL import Image

from command import command
from saccade.tasks.captioned import told_pictures

PEOPLE = (
    "data.train=scenes:people?size=60",
    "data.valid=scenes:people?size=8",
    "data.test=scenes:people?size=12",
    "data.pixels=32",
    "model.dim=16",
    "model.dropout=0",
    "train.batch_tokens=256",
    "train.lr=1e-2",
    "train.warmup=5",
    "train.threads=1",
    "train.workers=1",
    "decode.beam=2",
    "decode.max_length=10",
    "decode.batch_tokens=256",
)
OWN = {
    "caption-rnn": ("model.cnn_width=8", "train.budget=20 steps"),
    "caption-soft": ("model.cnn_width=8", "train.budget=20 steps"),
    "caption-hard": ("model.cnn_width=8", "train.budget=20 steps"),
    "caption-transformer": (
        "model.cnn_width=8",
        "train.budget=60 steps",
        "model.heads=2",
        "model.ff_dim=32",
        "model.encoder_layers=1",
        "model.decoder_layers=2",
    ),
}


@cache
def captioner_in(place: Path, preset: str) -> Path:
    """The run folder, named as its preset is."""
    path = place / preset
    done = command("train", preset, *PEOPLE, *OWN[preset], "--run", str(path))
    assert done.exit_code == 0, done.stderr
    return path


def pictures_in(folder: Path, count: int) -> list[str]:
    """So many scenes with people as PNG files."""
    files = []
    for number, one in enumerate(told_pictures(f"scenes:people?size={count}", split="test")):
        files.append(str(folder / f"{number}.png"))
        Image.fromarray(one.pixels(48, "crop")).save(files[-1])
    return files
