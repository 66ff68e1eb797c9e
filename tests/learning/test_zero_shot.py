"""One model learns six directions and is asked for a seventh, which it never saw."""

import json
from itertools import islice
from pathlib import Path

import pytest

from command import process
from saccade.scenes import read_pairs

pytestmark = pytest.mark.learning

SMALL = (
    "model.dim=64",
    "model.ff_dim=128",
    "model.dropout=0",
    "train.batch_tokens=1024",
    "train.lr=4e-3",
    "train.warmup=100",
    "train.threads=1",
)
DIRECTIONS = ("de-en", "de-es", "en-fr", "es-fr", "en-es", "es-en")


def words(direction: str) -> set[str]:
    return {word for pair in islice(read_pairs(direction), 1000) for word in pair.target.split()}


def bleu(place: Path, *arguments: str) -> float:
    done = process("evaluate", "run", "--beam", "1", "--output", "out.txt", "--json", *arguments, cwd=place)
    assert done.returncode == 0, done.stderr.decode()
    return float(json.loads(done.stdout)["scores"][0]["value"])


def test_german_to_french_without_an_example(tmp_path: Path) -> None:
    train = [f"scenes:{direction}?size=1500&seed={seed}" for seed, direction in enumerate(DIRECTIONS)]
    sizes = (f"data.train={json.dumps(train)}", 'data.valid=["scenes:de-en?size=20", "scenes:en-fr?size=20"]')
    more = ("data.test=scenes:de-fr?size=60", "train.budget=5 epochs", "train.validate_every=5 epochs", "--run", "run")
    trained = process("train", "scenes-zero-shot", *sizes, *SMALL, *more, cwd=tmp_path, timeout=500)
    assert trained.returncode == 0, trained.stderr.decode()
    assert bleu(tmp_path) >= 15  # a text in the wrong language scores 0.1
    written = (tmp_path / "out.txt").read_text(encoding="utf-8").split()
    french, others = words("en-fr"), words("de-en") | words("en-es") | words("en-de")
    assert sum(word in french for word in written) >= 0.75 * len(written)
    assert sum(word in others - french for word in written) <= 0.25 * len(written)
    assert bleu(tmp_path, "--via", "en") >= 45
    assert bleu(tmp_path, "--data", "scenes:de-en?size=60") >= 60
