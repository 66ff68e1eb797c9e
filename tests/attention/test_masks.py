import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.naive import may_look
from saccade.attention import EVERYWHERE, Mask
from saccade.errors import ModelError

CPU = torch.device("cpu")


def table(mask: Mask, queries: int, keys: int) -> list[list[int]]:
    allowed = mask.allowed(queries, keys, CPU)
    assert allowed is not None
    return allowed.expand(1, 1, queries, keys)[0, 0].int().tolist()


def test_everywhere_needs_no_table() -> None:
    assert EVERYWHERE.allowed(3, 4, CPU) is None


def test_causal_by_hand() -> None:
    assert table(Mask(causal=True), 3, 3) == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_fewer_queries_are_the_last_ones() -> None:
    assert table(Mask(causal=True), 2, 4) == [[1, 1, 1, 0], [1, 1, 1, 1]]
    assert table(Mask(window=1), 2, 4) == [[0, 1, 1, 1], [0, 0, 1, 1]]


def test_the_newest_query_sees_all_that_was_written() -> None:
    assert Mask(causal=True).allowed(1, 5, CPU) is None


def test_more_queries_than_keys_leave_the_first_with_nothing() -> None:
    assert table(Mask(causal=True), 4, 2) == [[0, 0], [0, 0], [1, 0], [1, 1]]


def test_window_by_hand() -> None:
    assert table(Mask(window=1), 4, 4) == [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]
    assert table(Mask(window=1, causal=True), 4, 4) == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]


def test_window_with_one_query_and_a_cache() -> None:
    assert table(Mask(window=2, causal=True), 1, 5) == [[0, 0, 1, 1, 1]]


def test_padding_has_no_query_axis() -> None:
    """(B, 1, 1, K): this is what keeps attention over a padded batch linear in memory."""
    allowed = Mask(keys_BK=torch.tensor([[True, True, False], [True, False, False]])).allowed(7, 3, CPU)
    assert allowed is not None
    assert allowed.shape == (2, 1, 1, 3)
    assert allowed.flatten(1).tolist() == [[True, True, False], [True, False, False]]


@pytest.mark.property
@settings(max_examples=60)
@given(st.data())
def test_the_table_is_the_three_facts_together(data: st.DataObject) -> None:
    queries, keys = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    row = st.lists(st.booleans(), min_size=keys, max_size=keys)
    real = data.draw(st.none() | st.lists(row, min_size=2, max_size=2))
    mask = Mask(
        keys_BK=None if real is None else torch.tensor(real),
        causal=data.draw(st.booleans()),
        window=data.draw(st.none() | st.integers(1, 6)),
    )
    allowed = mask.allowed(queries, keys, CPU)
    full = torch.ones(2, 1, queries, keys, dtype=torch.bool)
    if allowed is not None:
        full &= allowed
    for b in range(2):
        for q in range(queries):
            for k in range(keys):
                assert bool(full[b, 0, q, k]) == may_look(mask, b, q, k, queries, keys)


def test_only_boolean_masks() -> None:
    with pytest.raises(ModelError, match=r"a mask is boolean \(True = may attend\), got torch.float32"):
        Mask(keys_BK=torch.ones(1, 3))


@pytest.mark.parametrize("window", [0, -2])
def test_a_window_of_nothing(window: int) -> None:
    with pytest.raises(ModelError, match=f"a window reaches at least 1 position to each side, got {window}"):
        Mask(window=window)
