import pytest
import torch
from torch import Tensor

from saccade.attention import ScoreName
from saccade.layers.attentive import AttentiveRecurrent, FixedRecurrent
from saccade.layers.cells import CELLS, CellName
from saccade.layers.memory import Encoded

REAL = torch.tensor([[True] * 4, [True, True, False, False]])


def score(name: ScoreName, layer: AttentiveRecurrent, query: Tensor, key: Tensor) -> Tensor:
    if name == "additive":
        return torch.tanh(query + key) @ layer.cross_attention.score.v_HD[0]
    return query @ key


@pytest.mark.parametrize("cell", ["simple", "gru", "lstm"])
@pytest.mark.parametrize("name", ["additive", "dot"])
def test_it_is_the_papers_loop(cell: CellName, name: ScoreName) -> None:
    """One row, one word, one key at a time, as the equations are written."""
    torch.manual_seed(1)
    layer = AttentiveRecurrent(input_dim=3, source_dim=6, dim=5, attention_dim=4, cell=cell, score=name)
    memory = tuple(torch.randn(2, 5) for _ in range(CELLS[cell].tensors))
    x, states = torch.randn(2, 3, 3), torch.randn(2, 4, 6)
    source = layer.read(Encoded(states, REAL))
    found = layer(x, source.layers[0], source.mask, memory)
    attention = layer.cross_attention
    for row in range(2):
        own = tuple(one[row : row + 1] for one in memory)
        for t in range(3):
            query = attention.query(own[0][0])
            keys = [attention.key(states[row, k]) for k in range(int(REAL[row].sum()))]
            weights = torch.softmax(torch.stack([score(name, layer, query, key) for key in keys]), 0)
            context = sum(weight * states[row, k] for k, weight in enumerate(weights))
            inputs = layer.input(x[row, t]) + layer.context(context)
            own = CELLS[cell].go_on(inputs[None], layer.state(own[0]), own)
            torch.testing.assert_close(found.contexts_NTV[row, t], context)
            torch.testing.assert_close(found.states_NTE[row, t], own[0][0])


def test_the_bottleneck_knows_only_the_final_state() -> None:
    layer = FixedRecurrent(input_dim=3, source_dim=6, dim=5, cell="gru")
    final = torch.randn(2, 6)
    x, memory = torch.randn(2, 3, 3), (torch.zeros(2, 5),)

    def written(states: Tensor) -> Tensor:
        source = layer.read(Encoded(states, REAL, final_BE=final))
        found: Tensor = layer(x, source.layers[0], source.mask, memory).states_NTE
        return found

    assert torch.equal(written(torch.randn(2, 4, 6)), written(torch.randn(2, 4, 6)))
