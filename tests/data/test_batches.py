"""Batches: every row once, the budget kept, little padding, and a stream that goes on where it stopped."""

from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.batches import Position, RowBatches, TokenBatches, in_length_order, pad
from saccade.errors import DataError

lengths = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=300)


def sides(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    array = np.array(pairs)
    return array[:, 0], array[:, 1]


def like_text(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Lengths as in captions and their translations: about 15 tokens, the two sides going together."""
    random = np.random.default_rng(7)
    source = np.clip(random.normal(15.3, 4.8, rows).round(), 4, 49)
    target = np.clip((source * random.normal(1.03, 0.2, rows)).round(), 3, 54)
    return source.astype(np.int64), target.astype(np.int64)


@pytest.mark.property
@settings(max_examples=60)
@given(lengths, st.integers(60, 400), st.integers(0, 2**32), st.integers(0, 5))
def test_every_row_once_and_the_budget_kept(pairs, batch_tokens, seed, n):
    source, target = sides(pairs)
    batches = TokenBatches(source, target, batch_tokens=batch_tokens, seed=seed).epoch(n)
    assert sorted(np.concatenate(batches)) == list(range(len(pairs)))
    for rows in batches:
        assert len(rows) * max(source[rows].max(), target[rows].max()) <= batch_tokens


@pytest.mark.property
@settings(max_examples=30)
@given(lengths, st.integers(0, 3), st.integers(0, 4))
def test_resuming_gives_the_tail_of_the_undisturbed_stream(pairs, epochs, more):
    batches = TokenBatches(*sides(pairs), batch_tokens=100, seed=3)
    steps = epochs * len(batches.epoch(0)) + more
    whole = list(islice(batches.stream(Position()), steps + 5))
    start = whole[steps - 1].following if steps else Position()
    resumed = list(islice(TokenBatches(*sides(pairs), batch_tokens=100, seed=3).stream(start), 5))
    for placed, expected in zip(resumed, whole[steps:], strict=True):
        assert placed.position == expected.position
        assert np.array_equal(placed.rows, expected.rows)


@pytest.mark.property
@settings(max_examples=40)
@given(lengths, st.integers(60, 400), st.integers(0, 3), st.integers(1, 4))
def test_groups_stand_side_by_side(pairs, batch_tokens, n, most):
    source, target = sides(pairs)
    groups = np.random.default_rng(n).permutation(len(pairs)) // most
    batches = TokenBatches(source, target, batch_tokens=batch_tokens, seed=1, groups=groups).epoch(n)
    assert sorted(np.concatenate(batches)) == list(range(len(pairs)))
    for rows in batches:
        assert len(rows) * max(source[rows].max(), target[rows].max()) <= batch_tokens
        changes = np.count_nonzero(np.diff(groups[rows]))
        assert changes == len(set(groups[rows].tolist())) - 1, "a group was left and come back to"
    parted = sum(len(set(groups[rows].tolist())) for rows in batches) - (groups.max() + 1)
    assert parted < len(batches), "more groups are parted than batches have ends"


def test_the_stream_goes_from_epoch_to_epoch():
    batches = TokenBatches(np.full(6, 5), np.full(6, 5), batch_tokens=10, seed=0)
    first, second = batches.epoch(0), batches.epoch(1)
    placed = list(islice(batches.stream(Position(0, 1)), len(first) - 1 + len(second)))
    assert [p.position for p in placed[: len(first)]] == [
        *(Position(0, i) for i in range(1, len(first))),
        Position(1, 0),
    ]
    assert placed[len(first) - 2].following == Position(1, 0)
    expected = np.concatenate([*first[1:], *second])
    assert np.array_equal(np.concatenate([p.rows for p in placed]), expected)


def test_the_place_after_the_last_batch_is_the_start_of_the_next_epoch():
    batches = TokenBatches(np.full(6, 5), np.full(6, 5), batch_tokens=10, seed=0)
    after = next(batches.stream(Position(0, len(batches.epoch(0)))))
    assert after.position == Position(1, 0)


def test_seed_and_epoch_alone_decide():
    source, target = like_text(2_000)
    a, b = (TokenBatches(source, target, batch_tokens=1024, seed=5) for _ in range(2))
    b.epoch(0)
    assert all(np.array_equal(x, y) for x, y in zip(a.epoch(3), b.epoch(3), strict=True))
    other = TokenBatches(source, target, batch_tokens=1024, seed=6)
    assert [rows.tolist() for rows in a.epoch(3)] != [rows.tolist() for rows in other.epoch(3)]


def test_batches_differ_between_epochs_and_are_not_in_order_of_length():
    source, target = like_text(5_000)
    batches = TokenBatches(source, target, batch_tokens=2048, seed=1)
    first, second = ({frozenset(rows.tolist()) for rows in batches.epoch(n)} for n in (0, 1))
    assert len(first & second) < len(first) / 10
    longest = [source[rows].max() for rows in batches.epoch(0)]
    assert longest not in (sorted(longest), sorted(longest, reverse=True))


def test_little_padding():
    source, target = like_text(29_000)
    batches = TokenBatches(source, target, batch_tokens=4096, seed=1)
    assert batches.padding_share(0) < 0.06
    rows = batches.epoch(0)
    padded = sum(len(r) * (source[r].max() + target[r].max()) for r in rows)
    assert batches.padding_share(0) == pytest.approx((padded - source.sum() - target.sum()) / padded)
    # As few batches as the budget allows, but for what whole rows leave over.
    assert len(rows) <= 1.02 * np.maximum(source, target).sum() / 4096 + 2


def test_no_padding_at_all_among_equals():
    assert TokenBatches(np.full(50, 7), np.full(50, 9), batch_tokens=90, seed=1).padding_share(0) == 0


def test_a_million_rows_in_a_moment():
    source, target = like_text(1_000_000)
    batches = TokenBatches(source, target, batch_tokens=4096, seed=1).epoch(0)
    assert sum(map(len, batches)) == 1_000_000


def test_a_row_longer_than_a_batch_is_named():
    with pytest.raises(DataError, match=r"row 2 \(from 0\) has 1,300 tokens, more than a whole batch of 1,024; raise"):
        TokenBatches(np.array([3, 4, 5]), np.array([3, 4, 1300]), batch_tokens=1024, seed=1)


def test_sides_of_unequal_number():
    with pytest.raises(DataError, match="3 source rows and 2 target rows"):
        TokenBatches(np.array([3, 4, 5]), np.array([3, 4]), batch_tokens=1024, seed=1)


def test_no_rows():
    with pytest.raises(DataError, match="no rows to make batches of"):
        TokenBatches(np.array([]), np.array([]), batch_tokens=1024, seed=1)


def test_a_position_that_does_not_exist():
    batches = TokenBatches(np.array([3]), np.array([3]), batch_tokens=1024, seed=1)
    with pytest.raises(DataError, match="batch 9 of epoch 4 does not exist, it has 1"):
        next(batches.stream(Position(4, 9)))


@pytest.mark.property
@settings(max_examples=50)
@given(st.lists(st.integers(0, 80), max_size=200), st.integers(1, 60))
def test_in_length_order(sizes, batch_tokens):
    sizes = np.array(sizes, dtype=np.int64)
    batches = in_length_order(sizes, batch_tokens)
    order = np.concatenate([np.zeros(0, np.int64), *batches])
    assert sorted(order) == list(range(len(sizes)))
    assert (np.diff(sizes[order]) <= 0).all()
    for rows in batches:
        assert len(rows) == 1 or len(rows) * sizes[rows].max() <= batch_tokens


def test_pad():
    padded = pad([np.array([5, 6], dtype=np.uint16), [7], []], 0, prefix=(1, 9), suffix=(2,))
    assert padded.dtype == torch.int64
    assert padded.tolist() == [[1, 9, 5, 6, 2], [1, 9, 7, 2, 0], [1, 9, 2, 0, 0]]


@pytest.mark.property
@settings(max_examples=50)
@given(
    st.lists(st.lists(st.integers(4, 99), max_size=9), max_size=9),
    st.lists(st.integers(4, 99), max_size=2),
    st.lists(st.integers(4, 99), max_size=2),
)
def test_pad_is_the_rows_with_zeros_behind(rows, prefix, suffix):
    padded = pad(rows, 0, prefix=prefix, suffix=suffix)
    whole = [[*prefix, *row, *suffix] for row in rows]
    assert padded.shape == (len(rows), max(map(len, whole), default=0))
    for got, row in zip(padded.tolist(), whole, strict=True):
        assert got == row + [0] * (padded.shape[1] - len(row))


@pytest.mark.property
@given(st.integers(1, 300), st.integers(1, 64), st.integers(0, 2**32), st.integers(0, 5))
def test_rows_of_equal_size_once_each_in_batches_of_equal_size(rows, batch_rows, seed, n):
    batches = RowBatches(rows, batch_rows=batch_rows, seed=seed).epoch(n)
    assert sorted(np.concatenate(batches)) == list(range(rows))
    sizes = {len(batch) for batch in batches}
    assert max(sizes) <= batch_rows
    assert max(sizes) - min(sizes) <= 1


def test_rows_of_equal_size_come_in_another_order_every_epoch_and_go_on_where_they_stopped():
    batches = RowBatches(50, batch_rows=8, seed=3)
    assert batches.padding_share(0) == 0
    assert not np.array_equal(np.concatenate(batches.epoch(0)), np.concatenate(batches.epoch(1)))
    first = list(islice(batches.stream(Position()), 20))
    again = list(islice(RowBatches(50, batch_rows=8, seed=3).stream(first[8].following), 11))
    assert [one.rows.tolist() for one in again] == [one.rows.tolist() for one in first[9:]]
    with pytest.raises(DataError, match="the training data is empty"):
        RowBatches(0, batch_rows=8, seed=3)
