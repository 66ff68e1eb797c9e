"""Captioners learn to say what scenes show, and to look there, through the command line."""

import json
from pathlib import Path

import pytest

from command import process

pytestmark = pytest.mark.learning

SHAPES = "scenes:captions?size={size}&about=shapes"
LEARNING = (
    f"data.train={SHAPES.format(size=200)}",
    f"data.valid={SHAPES.format(size=20)}",
    "data.pixels=32",
    "model.dim=64",
    "model.heads=4",
    "model.ff_dim=128",
    "model.encoder_layers=1",
    "model.decoder_layers=2",
    "model.cnn_width=16",
    "model.dropout=0",
    "train.threads=1",
    "train.workers=1",
    "train.batch_tokens=256",
    "train.lr=3e-3",
    "train.warmup=30",
    "train.budget=12 epochs",
    "train.validate_every=6 epochs",
    "train.metric=loss",
)


def test_two_hundred_scenes_are_learned(tmp_path: Path) -> None:
    """Of words it has read it says the right ones; a captioner that does not look at the picture cannot."""
    done = process("train", "caption-transformer", *LEARNING, "--run", "run", cwd=tmp_path, timeout=500)
    assert done.returncode == 0, done.stderr.decode()
    rows = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    losses = [row["loss"] for row in rows if row["kind"] == "train"]
    assert losses[-1] < 0.4 * losses[0]
    valid = [row for row in rows if row["kind"] == "valid"]
    assert valid[-1]["loss"] < valid[0]["loss"] < 3.0
