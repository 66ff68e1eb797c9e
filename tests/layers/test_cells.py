import pytest
import torch
from torch import Tensor, nn

from saccade.layers.cells import CELLS, CellName

CELL_OF: dict[CellName, type[nn.RNNCellBase]] = {"simple": nn.RNNCell, "gru": nn.GRUCell, "lstm": nn.LSTMCell}


def in_our_order(name: CellName, gates: Tensor) -> Tensor:
    """torch has an LSTM's gates as i, f, g, o; ours have the three sigmoids first: i, f, o, g."""
    if name != "lstm":
        return gates
    i, f, g, o = gates.chunk(4)
    return torch.cat((i, f, o, g))


@pytest.mark.parity
@pytest.mark.parametrize("name", ["simple", "gru", "lstm"])
def test_a_cell_is_torchs(name: CellName) -> None:
    torch.manual_seed(1)
    theirs, ours = CELL_OF[name](3, 5), CELLS[name]
    x, memory = torch.randn(4, 3), tuple(torch.randn(4, 5) for _ in range(ours.tensors))
    expected = theirs(x, memory if ours.tensors > 1 else memory[0])
    weights = {key: in_our_order(name, value) for key, value in theirs.named_parameters()}
    found = ours.go_on(
        nn.functional.linear(x, weights["weight_ih"], weights["bias_ih"]),
        nn.functional.linear(memory[0], weights["weight_hh"], weights["bias_hh"]),
        memory,
    )
    for one, other in zip(found, expected if isinstance(expected, tuple) else (expected,), strict=True):
        torch.testing.assert_close(one, other)


def test_the_simple_cell_by_hand() -> None:
    """tanh(A·[x; h] + b) with A = (2, −1), b = 0.5, x = 0.25, h = 0.5."""
    (h,) = CELLS["simple"].go_on(torch.tensor([[2 * 0.25 + 0.5]]), torch.tensor([[-1 * 0.5]]), (torch.tensor([[0.5]]),))
    torch.testing.assert_close(h, torch.tensor([[0.5]]).tanh())
