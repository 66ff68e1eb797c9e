"""The runs that the explorer is shown with: one of each kind of model, trained in seconds."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from captioners import captioner_in
from command import SCENES, command, translator_in
from tasks.texts import write_texts

SENTENCE = "a small red circle is left of two blue squares"
MARKUP = "<img src=x onerror=alert(1)>"
"""What a folder may be called, and with it a run."""

BERT = ("model.dim=16", "model.heads=2", "model.layers=2", "model.ff_dim=32", "model.max_length=64")


def trained(place: Path, name: str, *arguments: str) -> Path:
    path = place / "explorer" / name
    common = ("model.dropout=0", "train.threads=1", "train.workers=1")
    done = command("train", *arguments, *common, "--run", str(path))
    assert done.exit_code == 0, (done.stderr, done.exception)
    return path


def rnn_in(place: Path) -> Path:
    """A recurrent translator with additive attention, which reads any character there is."""
    steps = ("train.budget=4 epochs", "train.validate_every=4 epochs", "train.batch_tokens=1024", "train.lr=6e-3")
    return trained(place, "rnn", "rnn-additive", *SCENES[:3], "model.dim=32", *steps, "train.warmup=40")


def gpt_in(place: Path) -> Path:
    text = write_texts(place / "explorer-gpt.txt", 60)
    small = ("model.dim=16", "model.heads=2", "model.layers=2", "data.context=48", "train.batch_tokens=192")
    steps = ("train.budget=60 steps", "train.lr=1e-2", "train.warmup=5")
    return trained(place, "gpt", "gpt-mini", f"data.train={text}", *small, *steps)


def classifier_in(place: Path) -> Path:
    lines = "".join(f"a {word} film number {n}\t{word}\n" for n in range(30) for word in ("good", "bad"))
    table = place / "explorer-films.tsv"
    table.write_text("text\tlabel\n" + lines, encoding="utf-8")
    data = ("task=classification", f"data.train={table}", "data.holdout=0.2", "data.max_length=40")
    steps = ("train.batch_tokens=128", "train.budget=60 steps", "train.lr=1e-2", "train.warmup=5")
    return trained(place, "films", "bert-mini", *data, *BERT, "model.attention_dropout=0", *steps)


def deep_in(place: Path) -> Path:
    """As many layers and heads as the page is promised to be quick with; what it learned does not matter."""
    data = ("data.train=scenes:en-fr?size=60", "data.valid=scenes:en-fr?size=8", "tokenizer.kind=words")
    wide = ("model.dim=32", "model.heads=8", "model.encoder_layers=6", "model.decoder_layers=6", "model.ff_dim=32")
    return trained(place, "deep", "transformer-tiny", *data, *wide, "train.budget=2 steps", "train.warmup=1")


@cache
def runs_in(place: Path) -> dict[str, Path]:
    """All of them by the names that the page calls them by. The first is the one that it opens."""
    with ThreadPoolExecutor(1) as pool:
        translator = pool.submit(translator_in, place)  # a process of its own: the others are trained meanwhile
        others = [make(place) for make in (rnn_in, gpt_in, classifier_in, deep_in)]
        captioner = captioner_in(place, "caption-soft")
        found = [translator.result(), *others, captioner]
    named_as_markup = place / "explorer" / MARKUP
    named_as_markup.symlink_to(place / "explorer" / "gpt")
    return {path.name: path for path in (*found, named_as_markup)}
