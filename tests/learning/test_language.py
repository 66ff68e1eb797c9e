"""Language models learn a small pattern, through the command line, to a threshold."""

import json
import math
import random
from pathlib import Path

import pytest

from command import process

pytestmark = pytest.mark.learning

WORDS = ["one", "two", "three", "four", "five", "six", "seven"]
TEXTS = [" ".join(WORDS[start:]) for start in range(len(WORDS))]
SURPRISE = len(TEXTS) * math.log(len(WORDS))
"""In nats, for somebody who can count: only where a text begins is unknown, and after seven it ends."""


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("rnn-lm", ("train.lr=0.02",)),
        ("rnn-self-lm", ("train.lr=0.02",)),
        ("lstmn-lm", ("train.lr=0.02",)),
        ("gpt-mini", ("train.lr=0.01", "model.layers=2", "model.max_length=16")),
    ],
)
def test_counting(tmp_path: Path, preset: str, options: tuple[str, ...]) -> None:
    train = random.Random(1).sample(TEXTS * 300, 300 * len(TEXTS))  # no text tells how the next one begins
    (tmp_path / "train.txt").write_text("\n".join(train) + "\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    trained = process(
        *("train", preset, "data.train=train.txt", "data.valid=test.txt", "data.test=test.txt"),
        *("data.documents=line", "data.context=16", "tokenizer.kind=words", "model.dim=32", "model.dropout=0"),
        *("train.batch_tokens=256", "train.budget=120 steps", "train.validate_every=60 steps", "train.warmup=20"),
        *(*options, "train.threads=1", "--run", "run"),
        cwd=tmp_path,
        timeout=400,
    )
    assert trained.returncode == 0, trained.stderr.decode()
    done = process("evaluate", "run", "--json", cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    scores = {score["name"]: score["value"] for score in json.loads(done.stdout)["scores"]}
    tokens = sum(len(text.split()) + 1 for text in TEXTS)
    assert 0.999 * SURPRISE <= tokens * math.log(scores["perplexity"]) <= 1.15 * SURPRISE
    bits = SURPRISE / math.log(2) / sum(map(len, TEXTS))
    assert 0.999 * bits <= scores["bits per byte"] <= 1.15 * bits
