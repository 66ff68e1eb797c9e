"""The recurrent and the convolutional family learn scenes, through the command line, to a threshold."""

import json
from pathlib import Path
from typing import Any

import pytest

from command import process

pytestmark = pytest.mark.learning


def learned(name: str, folder: Path) -> dict[str, Any]:
    """Two of the recipe's four epochs, and what `evaluate` says of them."""
    trained = process("train", f"scenes-{name}", "train.budget=2 epochs", "--run", name, cwd=folder, timeout=500)
    assert trained.returncode == 0, trained.stderr.decode()
    done = process("evaluate", name, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def bleu(result: dict[str, Any]) -> float:
    return float({score["name"]: score["value"] for score in result["scores"]}["BLEU"])


def test_attention_beats_the_bottleneck(tmp_path: Path) -> None:
    bottleneck, attention = learned("rnn-seq2seq", tmp_path), learned("rnn-dot", tmp_path)
    assert 20 <= bleu(bottleneck) <= bleu(attention) - 20
    assert bleu(attention) >= 60
    assert "alignment" not in bottleneck or bottleneck["alignment"] is None
    assert attention["alignment"]["error_rate"] <= 0.5


def test_convolutions_translate_scenes(tmp_path: Path) -> None:
    found = learned("conv-seq2seq", tmp_path)
    assert bleu(found) >= 70
    assert found["alignment"] is not None
