"""Labelled texts as a task: where a new head begins, and what it cannot read."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from saccade.data.examples import Labelled
from saccade.errors import DataError
from saccade.models import BertClassifier, BertTagger, Vocabulary, build_model
from saccade.tasks.labelled import ClassificationTask, LabelledTask, RegressionTask, TaggingTask
from saccade.tasks.labelled_corpus import Answer, LabelledSettings, open_labelled_corpus, prepare_labelled
from saccade.tasks.predicting import classified

PAIRS = [
    {"text1": "the red star", "text2": "a star", "label": "3.5"},
    {"text1": "a blue tree", "text2": "a tree", "label": "2.5"},
    {"text1": "a green ball", "text2": "the ball", "label": "0.75"},
]
TEXTS = [{"text": f"{colour} star", "label": "good" if colour != "red" else "bad"} for colour in ("red", *"abc")]
TAGGED = "The O\nred B-PER\nstar O\n\na O\nball O\n"
TASKS: dict[Answer, type[LabelledTask]] = {
    "label": ClassificationTask,
    "number": RegressionTask,
    "tags": TaggingTask,
}


def task_of(place: Path, name: str, content: str, answer: Answer) -> LabelledTask:
    place.mkdir(exist_ok=True)
    (place / name).write_text(content, encoding="utf-8")
    settings = LabelledSettings(train=(str(place / name),), valid=(str(place / name),), answer=answer)
    prepare_labelled(place / "data", place, settings, lambda line: None)
    corpus = open_labelled_corpus(place / "data", place)
    return TASKS[answer](corpus, most=32, batch_tokens=64, seed=1, label_smoothing=0.0, device=torch.device("cpu"))


def lines(examples: list[dict[str, str]]) -> str:
    return "".join(json.dumps(one) + "\n" for one in examples)


def model_for(task: LabelledTask, name: str, **options: object) -> nn.Module:
    size = task.corpus.tokenizer.vocab_size
    vocabulary = Vocabulary(source=size, target=size, shared=True, pad_id=0, labels=max(1, len(task.labels.names)))
    small = {"dim": 16, "heads": 2, "layers": 1, "ff_dim": 16, "max_length": 32}
    return build_model("bert-mini", {**small, **options}, vocabulary, task=name)


def begun(task: LabelledTask, name: str) -> list[float]:
    """The bias of a new head that was begun."""
    model = model_for(task, name)
    assert isinstance(model, BertClassifier | BertTagger)
    task.begin(model)
    bias: list[float] = model.labels.bias.tolist()
    return bias


def test_a_head_for_labels_begins_at_their_shares(tmp_path: Path) -> None:
    task = task_of(tmp_path, "a.jsonl", lines(TEXTS), "label")
    assert task.labels.names == ("bad", "good")
    assert begun(task, "classification") == pytest.approx([math.log(1 / 4), math.log(3 / 4)])


def test_a_head_for_numbers_begins_at_their_mean(tmp_path: Path) -> None:
    assert begun(task_of(tmp_path, "a.jsonl", lines(PAIRS), "number"), "regression") == pytest.approx([2.25])


def test_texts_read_apart_begin_with_the_line_through_their_cosine(tmp_path: Path) -> None:
    task = task_of(tmp_path, "a.jsonl", lines(PAIRS), "number")
    model = model_for(task, "regression", pool="apart")
    assert isinstance(model, BertClassifier)
    task.begin(model)
    model.eval()
    reading = task.reading(np.arange(3))
    with torch.no_grad():
        cosine_N, said_N = model.cosines(reading), model.scores(reading)[:, 0]
    slope, intercept = np.polyfit(cosine_N.numpy(), [3.5, 2.5, 0.75], 1)
    np.testing.assert_allclose(said_N.numpy(), slope * cosine_N.numpy() + intercept, atol=0.02)


def test_a_head_for_tags_begins_at_their_shares_of_words(tmp_path: Path) -> None:
    task = task_of(tmp_path, "a.txt", TAGGED, "tags")
    shares = dict(zip(task.labels.names, map(math.exp, begun(task, "tagging")), strict=True))
    assert shares["O"] == pytest.approx(4 / 5, rel=0.15)
    assert shares["B-PER"] == pytest.approx(1 / 5, rel=0.15)
    assert sum(shares.values()) == pytest.approx(1)


@pytest.mark.parametrize("pool", ["both", "apart"])
def test_single_texts_cannot_be_compared(tmp_path: Path, pool: str) -> None:
    pairs = task_of(tmp_path / "pairs", "a.jsonl", lines(PAIRS), "number")
    pairs.check_fits(model_for(pairs, "regression", pool=pool))
    single = task_of(tmp_path / "single", "a.jsonl", lines(TEXTS), "label")
    single.check_fits(model_for(single, "classification", pool="mean"))
    with pytest.raises(DataError, match="some examples are of one text"):
        single.check_fits(model_for(single, "classification", pool=pool))


def test_nor_can_one_text_that_is_asked_about(tmp_path: Path) -> None:
    pairs = task_of(tmp_path, "a.jsonl", lines(PAIRS), "number")
    model = model_for(pairs, "regression", pool="apart")
    assert isinstance(model, BertClassifier)
    asked = [Labelled("a star", "a tree"), Labelled("a star")]
    assert classified(model, pairs.corpus.tokenizer, asked[:1], most=32).shape == (1, 1)
    with pytest.raises(DataError, match="but 'a star' is one text: give a second"):
        classified(model, pairs.corpus.tokenizer, asked, most=32)


@pytest.mark.parametrize(
    ("answer", "name", "file", "content"),
    [
        ("label", "classification", "a.jsonl", lines(TEXTS)),
        ("number", "regression", "a.jsonl", lines(PAIRS)),
        ("tags", "tagging", "a.txt", TAGGED),
    ],
)
def test_two_passes_pay_for_saying_different_things(
    tmp_path: Path, answer: Answer, name: str, file: str, content: str
) -> None:
    task = task_of(tmp_path, file, content, answer)
    rows = np.arange(len(task.corpus.first))

    def loss(consistency: float, dropout: float) -> float:
        torch.manual_seed(1)
        model = model_for(task, name, dropout=dropout).train()
        task.consistency = consistency
        return float(task.loss(model, rows).total.detach())

    assert loss(4.0, dropout=0.0) == pytest.approx(loss(0.0, dropout=0.0), rel=1e-5)
    assert loss(4.0, dropout=0.5) > loss(1e-9, dropout=0.5)
