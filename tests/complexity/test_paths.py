from collections.abc import Iterator
from itertools import islice
from typing import get_args

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from saccade.complexity.paths import WIDTH, hand_over_in, longest_path, make_stack
from saccade.complexity.theory import StackName, longest_in_theory
from saccade.errors import ModelError
from saccade.layers.recurrent import Recurrent

STACKS: tuple[StackName, ...] = get_args(StackName)


def found(stack: StackName, length: int, *, kernel: int = 3, window: int = 2) -> int:
    forwards = stack in ("recurrent", "dilated")
    return longest_path(make_stack(stack, kernel=kernel, window=window), length, forwards=forwards)


@pytest.mark.property
@pytest.mark.parametrize("stack", STACKS)
@settings(max_examples=40)
@given(length=st.integers(2, 40), kernel=st.sampled_from([3, 5, 7]), window=st.integers(1, 12))
def test_what_is_found_is_theory_exactly(stack: StackName, length: int, kernel: int, window: int) -> None:
    expected = longest_in_theory(stack, length, kernel=kernel, window=window)
    assert found(stack, length, kernel=kernel, window=window) == expected


def test_theory_by_hand() -> None:
    def theory(stack: StackName, length: int) -> int:
        return longest_in_theory(stack, length, kernel=3, window=4)

    assert [theory("self-attention", n) for n in (2, 9, 1000)] == [1, 1, 1]
    assert [theory("recurrent", n) for n in (2, 9, 1000)] == [1, 8, 999]
    assert [theory("dilated", n) for n in (2, 3, 4, 9, 10, 27, 28)] == [1, 1, 2, 2, 3, 3, 4]
    assert [theory("contiguous", n) for n in (2, 9, 10)] == [1, 8, 9]
    assert [theory("restricted", n) for n in (2, 5, 6, 9, 10)] == [1, 1, 2, 2, 3]


def test_long_sequences_are_not_lost_to_rounding() -> None:
    """A change that 127 layers have made small is still a change."""
    assert found("contiguous", 128) == 127
    assert found("restricted", 128, window=1) == 127
    assert found("recurrent", 128) == 127


def test_hand_overs_end_in_the_states_of_the_layer() -> None:
    layer = Recurrent(input_dim=WIDTH, dim=WIDTH, cell="simple").double()
    x_BTE = torch.randn(3, 9, WIDTH, dtype=torch.float64)
    with torch.no_grad():
        steps = [*islice(hand_over_in(layer, x_BTE), 9)]
        states = layer(x_BTE, layer.nothing(x_BTE)).states_BTE
    torch.testing.assert_close(steps[8], states)
    assert not torch.allclose(steps[7], states)


def test_a_stack_that_links_nothing() -> None:
    def apart(x_NTE: Tensor) -> Iterator[Tensor]:
        while True:
            yield x_NTE

    with pytest.raises(ModelError, match="one of 6 positions has not arrived everywhere after 6 steps"):
        longest_path(apart, 6, forwards=False)
