"""A family learns a small task, through the command line, to a threshold."""

import json
from pathlib import Path

import pytest

from command import process

pytestmark = pytest.mark.learning


def test_transformer_translates_scenes(tmp_path: Path) -> None:
    """The demo's recipe, at three of its four epochs, so that the demo's own threshold of 95 has room."""
    trained = process("train", "scenes-en-fr", "train.budget=3 epochs", "--run", "run", cwd=tmp_path, timeout=500)
    assert trained.returncode == 0, trained.stderr.decode()
    done = process("evaluate", "run", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout)
    assert {score["name"]: score["value"] for score in result["scores"]}["BLEU"] >= 93
    assert result["alignment"]["error_rate"] <= 0.4
