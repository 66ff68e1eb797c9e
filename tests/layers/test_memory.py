import pytest
import torch

from saccade.attention import KeysValues
from saccade.errors import ModelError
from saccade.layers.memory import Encoded, PrefixMemory, RowMemory, SourceMemory, padding_mask

REAL = torch.tensor([[True, True, True], [True, False, False], [True, True, False]])


def keys_values(*shape: int) -> KeysValues:
    return KeysValues(torch.randn(*shape), torch.randn(*shape))


def test_no_padding_needs_no_mask() -> None:
    assert padding_mask(torch.ones(2, 3, dtype=torch.bool)).keys_BK is None
    assert padding_mask(REAL).keys_BK is REAL


def test_an_encoder_without_a_final_state() -> None:
    with pytest.raises(ModelError, match="has no final state for a recurrent decoder to start from"):
        Encoded(torch.zeros(1, 1, 1), torch.ones(1, 1, dtype=torch.bool)).final()


def test_sentences_that_stay_are_as_long_as_their_longest() -> None:
    one = keys_values(3, 2, 3, 4)
    memory = SourceMemory([one], REAL)
    memory.keep(torch.tensor([2, 1]))
    torch.testing.assert_close(memory.layers[0].values, one.values[[2, 1], :, :2])
    torch.testing.assert_close(memory.layers[0].keys, one.keys[[2, 1], :, :2])
    assert memory.mask.keys_BK is not None
    assert memory.mask.keys_BK.tolist() == [[True, True], [True, False]]


def test_sources_of_other_lengths_join() -> None:
    memory = SourceMemory([keys_values(1, 2, 1, 4)], torch.ones(1, 1, dtype=torch.bool))
    assert memory.mask.keys_BK is None
    memory.join(SourceMemory([keys_values(2, 2, 3, 4)], REAL[:2]))
    assert memory.layers[0].keys.shape == (3, 2, 3, 4)
    assert memory.mask.keys_BK is not None
    assert memory.mask.keys_BK.tolist() == [[True, False, False], [True, True, True], [True, False, False]]


def test_sources_take_the_places_of_others() -> None:
    one, other = keys_values(3, 2, 3, 4), keys_values(1, 2, 2, 4)
    memory = SourceMemory([one], REAL)
    memory.replace(torch.tensor([0]), SourceMemory([other], torch.ones(1, 2, dtype=torch.bool)))
    assert memory.layers[0].keys.shape == (3, 2, 2, 4)  # the longest is gone
    torch.testing.assert_close(memory.layers[0].keys[0], other.keys[0])
    torch.testing.assert_close(memory.layers[0].values[1:], one.values[1:, :, :2])
    assert memory.mask.keys_BK is not None
    assert memory.mask.keys_BK.tolist() == [[True, True], [True, False], [True, True]]


def test_rows_spread_grow_and_change_places() -> None:
    rows = RowMemory([torch.tensor([[1.0], [2.0]])])
    rows.spread(4)
    assert rows.tensors[0].flatten().tolist() == [1, 1, 2, 2]
    rows.grow([torch.tensor([[1.0], [2.0], [3.0], [4.0]])])
    assert rows.positions(4).tolist() == [1, 1, 1, 1]
    rows.reorder(torch.tensor([1, 0, 3, 3]))
    assert rows.tensors[0].flatten().tolist() == [2, 1, 4, 4]
    rows.keep(torch.tensor([1]), torch.tensor([3, 2]))
    assert rows.tensors[0].flatten().tolist() == [4, 4]
    assert (rows.sentences, rows.rows) == (1, 2)


def test_young_rows_join_old_ones() -> None:
    rows = RowMemory([torch.ones(1, 0, 2)])
    rows.spread(3)
    rows.grow([torch.ones(3, 1, 2)])
    rows.grow([torch.ones(3, 2, 2)])
    rows.join(RowMemory([torch.ones(2, 0, 2)]))
    assert rows.tensors[0].shape == (9, 2, 2)
    assert rows.tensors[0].sum((1, 2)).tolist() == [4] * 3 + [0] * 6
    assert rows.positions(9).tolist() == [2] * 3 + [0] * 6


def test_young_rows_take_the_places_of_old_ones() -> None:
    rows = RowMemory([torch.ones(2, 0, 2), torch.ones(2, 1)])
    rows.spread(4)
    rows.grow([torch.ones(4, 1, 2), 2 * torch.ones(4, 1)])
    rows.replace(torch.tensor([0]), RowMemory([torch.ones(1, 0, 2), torch.ones(1, 1)]))
    assert rows.tensors[0].sum((1, 2)).tolist() == [0, 0, 2, 2]
    assert rows.tensors[1].flatten().tolist() == [1, 1, 2, 2]
    assert rows.positions(4).tolist() == [0, 0, 1, 1]


def test_texts_that_have_read_something_cannot_join() -> None:
    memory, new = (PrefixMemory(1, layers=1, device=torch.device("cpu")) for _ in range(2))
    new.ancestry.grow(1, tokens=3)
    with pytest.raises(ModelError, match="only texts of which nothing is read yet can join others"):
        memory.join(new)
    with pytest.raises(ModelError, match="only texts of which nothing is read yet can join others"):
        memory.replace(torch.tensor([0]), new)
