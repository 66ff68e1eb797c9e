"""Language modelling: what is read and what is written, and the numbers that come out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from saccade.errors import DataError, ModelError
from saccade.tasks.language import LanguageTask
from tasks.texts import language_model, language_task, small_corpus, texts


@pytest.fixture
def task(tmp_path: Path) -> LanguageTask:
    return language_task(small_corpus(tmp_path))


def every_row(task: LanguageTask) -> np.ndarray:
    return np.concatenate(task.batches.epoch(0))


def test_a_text_begins_after_its_start_mark_and_ends_with_its_end_mark(task: LanguageTask) -> None:
    """All rows of an epoch, put in order: every token is written once, after the one before it or after <s>."""
    tokenizer = task.corpus.tokenizer
    read, written = [], []
    for row in np.sort(every_row(task)):
        batch = task.batch(np.array([row]))
        read += batch.read_BT[0].tolist()
        written += batch.written_BT[0].tolist()
    encoded = tokenizer.encode_batch(texts(24))
    assert written == [token for ids in encoded for token in [*ids, tokenizer.eos_id]]
    assert read == [token for ids in encoded for token in [tokenizer.bos_id, *ids]]
    assert task.epoch_tokens == len(written) == task.tokens(every_row(task))


def test_the_loss_is_the_cross_entropy_of_real_tokens(task: LanguageTask) -> None:
    model = language_model(task.corpus.tokenizer)
    rows = np.sort(every_row(task))[[0, 3, -1]]  # the first and the last are shorter: there is padding
    batch = task.batch(rows)
    assert (batch.written_BT == 0).any()
    found = task.loss(model, rows)
    logits = model.logits(model(batch.read_BT))
    expected = cross_entropy(logits.flatten(0, 1), batch.written_BT.flatten(), ignore_index=0, reduction="sum")
    torch.testing.assert_close(found.total, expected)
    assert found.tokens == int((batch.written_BT != 0).sum()) == task.tokens(rows)
    assert task.lengths(rows).tolist() == (batch.written_BT != 0).sum(1).tolist()


def test_rows_are_described(task: LanguageTask) -> None:
    first, *_ = task.describe(np.sort(every_row(task))[[1, 2]])
    assert any(word in first for word in ("red", "blue", "green", "white"))


def test_validation(task: LanguageTask) -> None:
    model = language_model(task.corpus.tokenizer)
    found = task.validate(model)
    encoded = task.corpus.tokenizer.encode_batch(texts(5))
    total, tokens = 0.0, 0
    with torch.no_grad():
        for ids in encoded:
            for window in (range(len(ids) + 1),):
                read = torch.tensor([[1, *ids]])
                logits = model.logits(model(read))[0][list(window)]
                total += cross_entropy(logits, torch.tensor([*ids, 2]), reduction="sum").item()
                tokens += len(ids) + 1
    assert len(encoded[0]) + 1 <= task.context  # one window each: the whole is its sum
    assert found.loss == pytest.approx(total / tokens, rel=1e-5)
    characters = sum(map(len, texts(5)))
    assert found.scores["bits_per_character"] == pytest.approx(total / np.log(2) / characters, rel=1e-5)
    assert found.scores["bits_per_byte"] == found.scores["bits_per_character"]  # plain ASCII
    assert len(found.samples) == 5
    for sample, text in zip(found.samples, texts(5), strict=True):
        assert f"{sample.source} {sample.reference}" == text
    state = torch.get_rng_state()
    assert task.validate(model) == found
    assert torch.equal(torch.get_rng_state(), state)


def test_facts(task: LanguageTask) -> None:
    facts = task.facts()
    assert (facts.examples, facts.valid, facts.unit) == (24, 5, "documents")
    assert facts.vocabulary == (task.corpus.tokenizer.vocab_size,)
    assert facts.shown[0]["text"][:3] == ["the", "red", "star"]


def test_small_data_gets_small_batches(tmp_path: Path) -> None:
    corpus = small_corpus(tmp_path, train=100)
    assert len(language_task(corpus, batch_tokens=None).batches.epoch(0)) >= 20
    assert language_task(corpus, batch_tokens=4096).batches.batch_tokens == 4096


def test_a_row_must_fit_into_the_positions(task: LanguageTask, monkeypatch: pytest.MonkeyPatch) -> None:
    model: Any = language_model(task.corpus.tokenizer)
    task.check_fits(model)
    model.embedding.positions.max_length = 12
    with pytest.raises(DataError, match=r"data.context is 16 tokens, but the model's positions end at 12: raise"):
        task.check_fits(model)


def test_another_model(task: LanguageTask) -> None:
    with pytest.raises(ModelError, match="language modelling needs a language model, got Linear"):
        task.loss(nn.Linear(2, 2), np.array([0]))
