import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.tokenizers import Tokenizer, train_tokenizer
from saccade.data.unmerging import Unmerging
from saccade.errors import DataError

TEXTS = ["the lower the lowest, newer and newest", "a wider river is lower than the widest one", "Größe über alles 😀"]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer(TEXTS * 4, kind="bpe", size=300)


def rows_of(tokenizer: Tokenizer) -> list[np.ndarray]:
    return [np.array(ids, dtype=np.uint16) for ids in tokenizer.encode_batch(TEXTS)]


@pytest.mark.property
@settings(max_examples=50)
@given(p=st.floats(0, 0.999), seed=st.integers(0, 1000))
def test_the_text_stays_the_same(tokenizer: Tokenizer, p: float, seed: int) -> None:
    rows = rows_of(tokenizer)
    found = Unmerging(tokenizer, p)(rows, np.random.default_rng(seed))
    assert [tokenizer.decode(ids) for ids in found] == TEXTS
    assert all(len(new) >= len(row) for new, row in zip(found, rows, strict=True))


def test_a_token_is_split_as_often_as_was_asked(tokenizer: Tokenizer) -> None:
    parts = tokenizer.merged_from()
    token = int(np.flatnonzero((parts[:, 0] >= 0) & (parts[parts, 0] < 0).all(axis=1))[0])  # made of two bytes
    rows = [np.full(20_000, token)]
    (found,) = Unmerging(tokenizer, 0.2)(rows, np.random.default_rng(1))
    assert np.mean(found == token) * len(found) / 20_000 == pytest.approx(0.8, abs=0.02)


def test_no_probability_no_change_and_certainty_leaves_bytes(tokenizer: Tokenizer) -> None:
    rows = rows_of(tokenizer)
    random = np.random.default_rng(1)
    assert all(map(np.array_equal, Unmerging(tokenizer, 0.0)(rows, random), rows))
    found = Unmerging(tokenizer, 1.0)(rows, random)
    assert [len(ids) for ids in found] == [1 + len(text.encode()) for text in TEXTS]


def test_a_row_that_would_grow_too_long_is_left(tokenizer: Tokenizer) -> None:
    rows = rows_of(tokenizer)
    longest = max(map(len, rows))
    found = Unmerging(tokenizer, 1.0)(rows, np.random.default_rng(1), longest=longest)
    assert all(map(np.array_equal, found, rows))


def test_only_bpe_is_made_of_merges() -> None:
    words = train_tokenizer(TEXTS, kind="words")
    with pytest.raises(DataError, match="only tokens of kind bpe are merged from others, not those of kind words"):
        Unmerging(words, 0.1)
