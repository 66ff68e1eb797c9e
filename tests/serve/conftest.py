"""One small run of every task, trained in seconds, and one service of all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from command import command
from serve.service import Service, running
from tasks.pictures import cnn_in, vit_in
from tasks.texts import write_texts

QUICK = ("model.dropout=0", "train.threads=1", "train.workers=1", "train.warmup=2", "train.budget=4 steps")
BERT = (
    *("model.dim=16", "model.heads=2", "model.layers=2", "model.ff_dim=32", "model.max_length=64"),
    *("model.attention_dropout=0", "train.batch_tokens=128"),
)


def trained(place: Path, name: str, *arguments: str) -> Path:
    done = command("train", *arguments, *QUICK, "--run", str(place / name))
    assert done.exit_code == 0, (done.stderr, done.exception)
    return place / name


@pytest.fixture(scope="session")
def gpt(place: Path) -> Path:
    text = write_texts(place / "gpt.txt", 60)
    small = ("model.dim=16", "model.heads=2", "model.layers=2", "data.context=48", "train.batch_tokens=192")
    return trained(place, "gpt", "gpt-mini", f"data.train={text}", *small, "tokenizer.kind=words")


@pytest.fixture(scope="session")
def bert(place: Path) -> Path:
    text = write_texts(place / "bert.txt", 80)
    return trained(place, "bert", "bert-mini", f"data.train={text}", "data.context=40", *BERT)


@pytest.fixture(scope="session")
def classifier(place: Path) -> Path:
    lines = "".join(f"a {word} film number {n}\t{word}\n" for n in range(30) for word in ("good", "bad"))
    (place / "films.tsv").write_text("text\tlabel\n" + lines, encoding="utf-8")
    data = ("task=classification", f"data.train={place / 'films.tsv'}", "data.holdout=0.2", "data.max_length=40")
    return trained(place, "classifier", "bert-mini", *data, *BERT)


@pytest.fixture(scope="session")
def tagger(place: Path) -> Path:
    lines = "".join(f"the O\ndog O\nnumber{n} O\nsaw O\nOslo{n % 3} B-LOC\n\n" for n in range(40))
    (place / "places.txt").write_text(lines, encoding="utf-8")
    data = ("task=tagging", f"data.train={place / 'places.txt'}", "data.holdout=0.2", "data.max_length=40")
    return trained(place, "tagger", "bert-mini", *data, *BERT)


@pytest.fixture(scope="session")
def captioner(place: Path) -> Path:
    data = ("data.train=scenes:captions?size=24", "data.valid=scenes:captions?size=4", "data.pixels=32")
    small = ("model.dim=16", "model.cnn_width=8", "tokenizer.kind=words")
    return trained(place, "captioner", "caption-soft", *data, *small)


@pytest.fixture(scope="session")
def squares(place: Path) -> Path:
    return vit_in(place)


@pytest.fixture(scope="session")
def cnn(place: Path) -> Path:
    return cnn_in(place)


@pytest.fixture(scope="session")
def service(
    translator: Path,
    multilingual: Path,
    gpt: Path,
    bert: Path,
    classifier: Path,
    tagger: Path,
    captioner: Path,
    squares: Path,
    cnn: Path,
) -> Iterator[Service]:
    with running([translator, multilingual, gpt, bert, classifier, tagger, captioner, squares, cnn]) as found:
        yield found
