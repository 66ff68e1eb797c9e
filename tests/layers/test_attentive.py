import pytest
import torch
from torch import Tensor

from saccade.attention import Choose, Keep, ScoreName
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


@pytest.mark.parametrize("cell", ["simple", "gru", "lstm"])
def test_the_gate_is_the_papers_too_and_so_are_its_gradients(cell: CellName) -> None:
    """c_t ← σ(w · s_{t−1} + b) · c_t, written out word by word."""
    torch.manual_seed(1)
    layer = AttentiveRecurrent(
        input_dim=3, source_dim=6, dim=5, attention_dim=4, cell=cell, score="additive", gate=True
    )
    assert layer.gate is not None
    torch.nn.init.normal_(layer.gate.bias)
    memory = tuple(torch.randn(2, 5) for _ in range(CELLS[cell].tensors))
    x, states = torch.randn(2, 3, 3), torch.randn(2, 4, 6)
    attention = layer.cross_attention

    def by_hand() -> Tensor:
        own, found = memory, []
        for t in range(3):
            query_N1D, keys_NKD = attention.query(own[0])[:, None], attention.key(states)
            scores_NK = torch.tanh(query_N1D + keys_NKD) @ attention.score.v_HD[0]
            weights_NK = torch.softmax(scores_NK.masked_fill(~REAL, -torch.inf), dim=-1)
            context_NV = torch.sigmoid(layer.gate(own[0])) * (weights_NK[:, None] @ states)[:, 0]  # type: ignore[misc]
            own = CELLS[cell].go_on(layer.input(x[:, t]) + layer.context(context_NV), layer.state(own[0]), own)
            found.append(torch.cat((own[0], context_NV), dim=-1))
        return torch.stack(found, dim=1)

    def gradients(found: Tensor) -> list[Tensor]:
        layer.zero_grad()
        found.square().sum().backward()
        return [parameter.grad.clone() for parameter in layer.parameters() if parameter.grad is not None]

    source = layer.read(Encoded(states, REAL))
    looked = layer(x, source.layers[0], source.mask, memory)
    found, expected = torch.cat((looked.states_NTE, looked.contexts_NTV), dim=-1), by_hand()
    torch.testing.assert_close(found, expected)
    pairs = list(zip(gradients(found), gradients(expected), strict=True))
    assert len(pairs) == len(list(layer.parameters()))
    for own, wanted in pairs:
        torch.testing.assert_close(own, wanted, atol=1e-5, rtol=1e-4)


def looking(within: Keep | Choose) -> AttentiveRecurrent:
    return AttentiveRecurrent(
        input_dim=3, source_dim=6, dim=5, attention_dim=4, cell="gru", score="additive", within=within
    )


def test_weights_are_kept_in_training_alone_and_those_of_other_words_are_dropped() -> None:
    keep = Keep()
    layer = looking(keep)
    source = layer.read(Encoded(torch.randn(2, 4, 6), REAL))

    def write(words: int) -> None:
        layer(torch.randn(2, words, 3), source.layers[0], source.mask, (torch.zeros(2, 5),))

    write(3)
    write(2)  # nobody took the first three
    taken = keep.take()
    assert taken.shape == (2, 2, 4)
    assert (taken[1, :, 2:] == 0).all(), "padding is looked at"
    layer.eval()
    write(3)
    layer.train()
    write(1)
    assert keep.take().shape == (2, 1, 4)


def test_places_are_drawn_in_training_alone() -> None:
    choose = Choose(soft=0.0)
    layer = looking(choose)
    states = torch.randn(2, 4, 6)
    source = layer.read(Encoded(states, REAL))

    def contexts() -> Tensor:
        found: Tensor = layer(torch.zeros(2, 9, 3), source.layers[0], source.mask, (torch.zeros(2, 5),)).contexts_NTV
        return found

    drawn = [contexts() for _ in range(4)]
    assert any(not torch.equal(one, drawn[0]) for one in drawn)
    for context_V in drawn[0][1]:
        assert any(torch.equal(context_V, states[1, place]) for place in range(2)), "a place that is not there"
    assert choose.take().entropy_NT.shape == (2, 9)
    layer.eval()
    assert torch.equal(contexts(), contexts())
