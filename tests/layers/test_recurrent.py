import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from saccade.layers.cells import CellName
from saccade.layers.recurrent import Connected, Directed, Recurrent, RecurrentEncoder, turn_round

LENGTHS = torch.tensor([6, 2, 4])
REAL = torch.arange(6) < LENGTHS[:, None]
KERNELS = {"simple": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


def test_each_sentence_is_turned_round_within_its_own_length() -> None:
    x = torch.arange(12).view(2, 6, 1)
    assert turn_round(x, torch.tensor([6, 2]))[..., 0].tolist() == [[5, 4, 3, 2, 1, 0], [7, 6, 8, 9, 10, 11]]
    assert torch.equal(turn_round(turn_round(x, torch.tensor([3, 5])), torch.tensor([3, 5])), x)


@pytest.mark.parity
@pytest.mark.parametrize("cell", ["simple", "gru", "lstm"])
def test_both_ways_are_torchs_packed_sequences(cell: CellName) -> None:
    torch.manual_seed(1)
    layer = Directed(input_dim=5, dim=8, cell=cell, forwards=True, backwards=True)
    theirs = KERNELS[cell](5, 4, batch_first=True, bidirectional=True)
    assert layer.forwards is not None
    assert layer.backwards is not None
    for ours, suffix in ((layer.forwards, ""), (layer.backwards, "_reverse")):
        for name, parameter in ours.kernel.named_parameters():
            theirs.get_parameter(name + suffix).data.copy_(parameter)
    x = torch.randn(3, 6, 5)
    packed, ended = theirs(pack_padded_sequence(x, LENGTHS, batch_first=True, enforce_sorted=False))
    expected, _ = pad_packed_sequence(packed, batch_first=True)
    found = layer(x, LENGTHS)
    torch.testing.assert_close(found[REAL], expected[REAL])
    final = ended[0] if isinstance(ended, tuple) else ended
    torch.testing.assert_close(layer.final(found, LENGTHS), torch.cat((final[0], final[1]), -1))


def test_one_way_ends_where_it_has_read_everything() -> None:
    x = torch.randn(3, 6, 5)
    forwards = Directed(input_dim=5, dim=8, cell="gru", forwards=True, backwards=False)
    states = forwards(x, LENGTHS)
    torch.testing.assert_close(forwards.final(states, LENGTHS), states[[0, 1, 2], [5, 1, 3]])
    backwards = Directed(input_dim=5, dim=8, cell="gru", forwards=False, backwards=True)
    states = backwards(x, LENGTHS)
    torch.testing.assert_close(backwards.final(states, LENGTHS), states[:, 0])


def test_it_goes_on_from_a_memory() -> None:
    layer = Recurrent(input_dim=5, dim=8, cell="lstm")
    x = torch.randn(3, 6, 5)
    whole = layer(x, layer.nothing(x))
    first = layer(x[:, :2], layer.nothing(x))
    torch.testing.assert_close(layer(x[:, 2:], first.memory).states_BTE, whole.states_BTE[:, 2:])


def test_what_a_layer_passes_on() -> None:
    x, h = torch.randn(2, 3, 4), torch.randn(2, 3, 4)
    assert torch.equal(Connected("plain", dim=4)(x, h), h)
    assert torch.equal(Connected("residual", dim=4)(x, h), x + h)
    mix = Connected("fast-forward", dim=4)
    torch.testing.assert_close(mix(x, h), torch.cat((x, h), -1) @ mix.mix.weight.T)


@pytest.mark.parametrize(
    ("directions", "expected"),
    [
        ("one", [(True, False)] * 3),
        ("both", [(True, True)] * 3),
        ("first", [(True, True), (True, False), (True, False)]),
        ("alternating", [(True, False), (False, True), (True, False)]),
    ],
)
def test_the_directions_of_a_stack(directions: str, expected: list[tuple[bool, bool]]) -> None:
    encoder = RecurrentEncoder(dim=8, layers=3, cell="gru", directions=directions)  # type: ignore[arg-type]
    assert [(one.forwards is not None, one.backwards is not None) for one in encoder.layers] == expected
