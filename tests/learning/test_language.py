"""Language models learn a small pattern, through the command line, to a threshold."""

import json
import math
import random
from pathlib import Path

import pytest

from command import process

pytestmark = pytest.mark.learning

WORDS = ["one", "two", "three", "four", "five", "six", "seven"]
LEAST = math.exp(math.log(len(WORDS)) / (len(WORDS) + 1))
"""The perplexity of somebody who knows the order: only the first of eight tokens is a surprise."""


@pytest.mark.parametrize("preset", ["rnn-lm", "rnn-self-lm", "lstmn-lm"])
def test_the_order_of_numbers(tmp_path: Path, preset: str) -> None:
    """Every text counts once round, from anywhere: after the first word all is known."""
    texts = [" ".join(WORDS[start:] + WORDS[:start]) for start in range(len(WORDS))]
    train = random.Random(1).sample(texts * 300, 300 * len(texts))  # no text tells how the next one begins
    (tmp_path / "train.txt").write_text("\n".join(train) + "\n", encoding="utf-8")
    (tmp_path / "valid.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    trained = process(
        *("train", preset, "data.train=train.txt", "data.valid=valid.txt", "data.test=valid.txt"),
        *("data.documents=line", "data.context=16", "tokenizer.kind=words", "model.dim=32", "model.dropout=0"),
        *("train.batch_tokens=256", "train.budget=200 steps", "train.validate_every=100 steps", "train.warmup=20"),
        *("train.lr=0.02", "train.threads=1", "--run", "run"),
        cwd=tmp_path,
        timeout=400,
    )
    assert trained.returncode == 0, trained.stderr.decode()
    done = process("evaluate", "run", "--json", cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    scores = {score["name"]: score["value"] for score in json.loads(done.stdout)["scores"]}
    assert LEAST - 1e-3 <= scores["perplexity"] <= 1.1 * LEAST
    assert scores["bits per byte"] <= 1.1**8 * math.log2(len(WORDS)) / len(texts[0]) + 0.05
