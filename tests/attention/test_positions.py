import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention import Combine, PositionName, Positions, sinusoids
from saccade.errors import ModelError

CPU = torch.device("cpu")


@pytest.mark.parametrize("dim", [2, 8, 512, 7])
def test_sinusoids_against_the_formula(dim: int) -> None:
    table = sinusoids(0, 60, dim)
    assert table.shape == (60, dim)
    for position in range(60):
        for column in range(dim):
            angle = position / 10000 ** (2 * (column // 2) / dim)
            expected = math.cos(angle) if column % 2 else math.sin(angle)
            assert table[position, column].item() == pytest.approx(expected, abs=2e-5)


def test_sinusoids_by_hand() -> None:
    # width 4: angles pos / 1 and pos / 100
    assert sinusoids(0, 1, 4).flatten().tolist() == [0.0, 1.0, 0.0, 1.0]
    assert sinusoids(1, 2, 4).flatten().tolist() == pytest.approx([0.841471, 0.540302, 0.01, 0.99995], abs=1e-5)


def test_far_positions_are_still_right() -> None:
    table = sinusoids(4999, 5000, 128)
    for column in range(128):
        angle = 4999 / 10000 ** (2 * (column // 2) / 128)
        expected = math.cos(angle) if column % 2 else math.sin(angle)
        assert table[0, column].item() == pytest.approx(expected, abs=1e-3)


@pytest.mark.property
@settings(max_examples=40)
@given(start=st.integers(0, 300), length=st.integers(1, 40), first=st.integers(1, 400))
def test_starting_later_is_a_slice(start: int, length: int, first: int) -> None:
    """Whatever was asked before: the remembered table does not shift."""
    positions = Positions(dim=8)
    positions(torch.zeros(1, first, 8))
    whole = positions(torch.zeros(1, start + length, 8))
    assert torch.equal(positions(torch.zeros(1, length, 8), start=start), whole[:, start:])
    assert torch.equal(Positions(dim=8)(torch.zeros(1, length, 8), start=start), whole[:, start:])
    torch.testing.assert_close(whole[0], sinusoids(0, start + length, 8))


@pytest.mark.parametrize("combine", ["add", "concatenate"])
@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_combination(kind: PositionName, combine: Combine) -> None:
    positions = Positions(dim=16, kind=kind, combine=combine, max_length=10)
    tokens = torch.randn(3, 4, positions.token_dim)
    with_positions = positions(tokens, start=2)
    assert with_positions.shape == (3, 4, 16)
    encoding = positions.encoding(2, 6, CPU)
    if combine == "add":
        assert (positions.token_dim, positions.position_dim) == (16, 16)
        assert torch.equal(with_positions, tokens + encoding)
    else:
        assert (positions.token_dim, positions.position_dim) == (12, 4)
        assert torch.equal(with_positions[..., :12], tokens)
        assert torch.equal(with_positions[..., 12:], encoding.expand(3, 4, 4))


def test_none_leaves_the_tokens_alone() -> None:
    positions = Positions(dim=6, kind="none")
    tokens = torch.randn(2, 5, 6)
    assert torch.equal(positions(tokens, start=9), tokens)
    assert positions.max_length is None
    assert not list(positions.parameters())


def test_sinusoids_need_no_weights_and_have_no_limit() -> None:
    positions = Positions(dim=6, max_length=3)
    assert positions.max_length is None
    assert not positions.state_dict()
    assert positions(torch.zeros(1, 700, 6)).shape == (1, 700, 6)


def test_learned_positions_learn() -> None:
    positions = Positions(dim=6, kind="learned", max_length=5)
    assert positions.max_length == 5
    assert positions.table is not None
    positions(torch.zeros(2, 2, 6), start=1).sum().backward()
    assert positions.table.weight.grad is not None
    assert positions.table.weight.grad.sum(1).tolist() == [0, 12, 12, 0, 0]


def test_learned_positions_end() -> None:
    positions = Positions(dim=6, kind="learned", max_length=5)
    positions(torch.zeros(1, 5, 6))
    with pytest.raises(ModelError, match="6 positions asked, but the learned positions end at 5"):
        positions(torch.zeros(1, 6, 6))
    with pytest.raises(ModelError, match="6 positions asked, but the learned positions end at 5"):
        positions(torch.zeros(1, 1, 6), start=5)


def test_nothing_cannot_be_concatenated() -> None:
    with pytest.raises(ModelError, match='positions "none" cannot be concatenated: choose sinusoidal or learned'):
        Positions(dim=8, kind="none", combine="concatenate")


def test_the_type_of_the_tokens_is_kept() -> None:
    assert Positions(dim=8)(torch.zeros(1, 3, 8, dtype=torch.bfloat16)).dtype == torch.bfloat16
