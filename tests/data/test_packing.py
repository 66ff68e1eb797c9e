"""Packed rows: every id once an epoch, nothing padded but at the ends, and a stream that goes on where it stopped."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.batches import Position
from saccade.data.packing import PackedBatches
from saccade.errors import DataError


@pytest.mark.property
@settings(max_examples=60)
@given(st.integers(1, 400), st.integers(1, 50), st.integers(1, 8), st.integers(0, 2**32), st.integers(0, 3))
def test_every_id_once_and_the_budget_kept(ids, context, rows, seed, n):
    batches = PackedBatches(ids, context=context, batch_tokens=rows * context, seed=seed)
    stretches = [[batches.stretch(row) for row in batch.tolist()] for batch in batches.epoch(n)]
    seen = sorted(i for batch in stretches for one in batch for i in range(one.start, one.end))
    assert seen == list(range(ids))
    assert all(0 < len(one) <= context for batch in stretches for one in batch)
    assert all(len(batch) <= rows for batch in stretches)
    lengths = [batches.lengths(batch).tolist() for batch in batches.epoch(n)]
    assert lengths == [[len(one) for one in batch] for batch in stretches]
    assert sum(len(one) < context for batch in stretches for one in batch) <= 2


def test_hardly_anything_is_padding():
    batches = PackedBatches(100_000, context=128, batch_tokens=4096, seed=1)
    assert batches.padding_share(0) < 0.003


def test_the_borders_move_from_epoch_to_epoch():
    batches = PackedBatches(1000, context=50, batch_tokens=100, seed=1)
    starts = [{row % 50 for batch in batches.epoch(n) for row in batch.tolist()} for n in range(6)]
    assert all(len(one) == 1 for one in starts)
    assert len(set.union(*starts)) > 3


def test_the_seed_decides():
    def rows(seed: int) -> list[int]:
        return np.concatenate(PackedBatches(1000, context=10, batch_tokens=40, seed=seed).epoch(2)).tolist()

    assert rows(3) == rows(3) != rows(4)


def test_a_stream_goes_on_where_it_stopped():
    batches = PackedBatches(300, context=16, batch_tokens=64, seed=5)
    whole = list(islice(batches.stream(Position()), 14))
    assert whole[-1].position.epoch > 1
    for stopped in (1, 5, 9):
        resumed = list(islice(batches.stream(whole[stopped].following), 4))
        for placed, expected in zip(resumed, whole[stopped + 1 :], strict=False):
            assert placed.position == expected.position
            assert np.array_equal(placed.rows, expected.rows)


def test_what_cannot_be_packed():
    with pytest.raises(DataError, match=r"a row has data.context 64 tokens, more than a whole batch of 32; raise"):
        PackedBatches(1000, context=64, batch_tokens=32, seed=1)
    with pytest.raises(DataError, match="no text to make batches of"):
        PackedBatches(0, context=64, batch_tokens=64, seed=1)
