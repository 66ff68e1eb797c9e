"""Captions side by side: of one picture, few, and about equally long."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.tasks.companions import MOST, companions


def test_five_captions_are_the_three_shortest_and_the_two_longest():
    groups = companions(np.array([7, 7, 7, 7, 7]), np.array([9, 30, 8, 31, 10]))
    assert groups[[0, 2, 4]].tolist() == [0, 0, 0]
    assert groups[[1, 3]].tolist() == [1, 1]


@pytest.mark.property
@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 40)), min_size=1, max_size=60))
def test_groups_are_small_even_and_neighbours_in_length(captions):
    picture_of, lengths = (np.array(side) for side in zip(*captions, strict=True))
    groups = companions(picture_of, lengths)
    assert sorted(set(groups.tolist())) == list(range(groups.max() + 1))
    for picture in set(picture_of.tolist()):
        own = groups[picture_of == picture]
        sizes = np.unique(own, return_counts=True)[1]
        assert sizes.max() <= MOST
        assert sizes.max() - sizes.min() <= 1
        spans = [lengths[groups == group] for group in sorted(set(own.tolist()))]
        assert all(before.max() <= after.min() for before, after in pairwise(spans))
    for group in range(groups.max() + 1):
        assert len(set(picture_of[groups == group].tolist())) == 1
