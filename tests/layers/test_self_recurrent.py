"""The equations, word by word and key by key."""

from typing import Any

import pytest
import torch
from torch import Tensor

from saccade.attention import record
from saccade.layers.self_recurrent import Past, SelfRecurrent, SelfRecurrentEncoder, SelfRecurrentStack

INPUT, DIM = 5, 4


def layer(**options: Any) -> SelfRecurrent:
    torch.manual_seed(3)
    made = SelfRecurrent(input_dim=INPUT, dim=DIM, **options)
    torch.nn.init.normal_(made.input.bias)
    torch.nn.init.normal_(made.self_attention.query.bias)
    return made


def additive(made: SelfRecurrent, query: Tensor, states: list[Tensor]) -> Tensor:
    v = made.self_attention.score.v_HD[0]
    scores = [v @ torch.tanh(query + made.self_attention.key.weight @ h) for h in states]
    return torch.softmax(torch.stack(scores), 0)


def test_the_simple_rnn_looks_back_with_its_last_state() -> None:
    """h_t = tanh(A·[x_t; c_{t−1}] + b), c_{t−1} = the attention of h_{t−1} over h_1 … h_{t−1}."""
    made = layer(cell="simple", query="state", score="additive")
    x = torch.randn(6, INPUT)
    A = torch.cat((made.input.weight, made.summary.weight), 1)
    states: list[Tensor] = []
    for word in x:
        context = torch.zeros(DIM)
        if states:
            weights = additive(made, made.self_attention.query(states[-1]), states)
            context = sum((w * h for w, h in zip(weights, states, strict=True)), context)
        states.append(torch.tanh(A @ torch.cat((word, context)) + made.input.bias))
    found = made(x[None], made.nothing(1))
    torch.testing.assert_close(found.states_NTE[0], torch.stack(states))


def test_the_lstmn_looks_back_with_its_word() -> None:
    """a_i = v·tanh(W_h h_i + W_x x_t + W_h̃ h̃_{t−1}); gates of [h̃_t; x_t]; c_t = f ⊙ c̃_t + i ⊙ ĉ_t."""
    made = layer(cell="lstm", query="word", score="additive")
    x = torch.randn(6, INPUT)
    states: list[Tensor] = []
    cells: list[Tensor] = []
    summary = torch.zeros(DIM)
    for word in x:
        query = made.self_attention.query(torch.cat((word, summary)))
        summary, cell = torch.zeros(DIM), torch.zeros(DIM)
        if states:
            weights = additive(made, query, states)
            summary = sum((w * h for w, h in zip(weights, states, strict=True)), summary)
            cell = sum((w * c for w, c in zip(weights, cells, strict=True)), cell)
        i, f, o, new = (made.input(word) + made.summary(summary)).chunk(4)
        cells.append(torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(new))
        states.append(torch.sigmoid(o) * torch.tanh(cells[-1]))
    found = made(x[None], made.nothing(1))
    torch.testing.assert_close(found.states_NTE[0], torch.stack(states))


@pytest.mark.parametrize("score", ["additive", "dot", "scaled-dot"])
@pytest.mark.parametrize(("cell", "query"), [("simple", "state"), ("lstm", "word"), ("gru", "word")])
def test_a_text_in_two_parts_is_the_whole(cell: str, query: str, score: str) -> None:
    made = layer(cell=cell, query=query, score=score)
    x = torch.randn(3, 7, INPUT)
    whole = made(x, made.nothing(3))
    first = made(x[:, :4], made.nothing(3))
    second = made(x[:, 4:], Past(first.keys_NTD, first.values_NTV, first.asked_ND))
    torch.testing.assert_close(torch.cat((first.states_NTE, second.states_NTE), 1), whole.states_NTE)
    torch.testing.assert_close(torch.cat((first.keys_NTD, second.keys_NTD), 1), whole.keys_NTD)
    torch.testing.assert_close(torch.cat((first.values_NTV, second.values_NTV), 1), whole.values_NTV)


def test_the_gradient_is_that_of_the_numbers() -> None:
    made = layer(cell="lstm", query="word", score="additive").double()
    x = torch.randn(2, 4, INPUT, dtype=torch.double, requires_grad=True)
    names = [name for name, _ in made.named_parameters()]

    def states(x: Tensor, *parameters: Tensor) -> Tensor:
        given = dict(zip(names, parameters, strict=True))
        found: Any = torch.func.functional_call(made, given, (x, made.nothing(2)))
        return found.states_NTE

    assert torch.autograd.gradcheck(states, (x, *made.parameters()))


def test_what_is_recorded() -> None:
    """A call for each word, over the words before it: none for the first, so its row is empty."""
    stack = SelfRecurrentStack(dim=DIM, layers=1, cell="lstm", query="word", score="additive")
    with torch.no_grad(), record(stack) as seen:
        stack(torch.randn(2, 5, DIM))
    calls = seen["0.self"].calls
    assert [tuple(call.shape) for call in calls] == [(2, 1, 1, earlier) for earlier in range(5)]
    for call in calls[1:]:
        torch.testing.assert_close(call.sum(-1), torch.ones(2, 1, 1))


def test_the_encoder_remembers_the_last_real_word() -> None:
    encoder = SelfRecurrentEncoder(dim=DIM, layers=2, cell="lstm", query="word", score="additive")
    x = torch.randn(2, 5, DIM)
    real = torch.tensor([[True] * 5, [True, True, True, False, False]])
    encoded = encoder(x, real)
    assert torch.equal(encoded.final()[0], encoded.states_BSE[0, 4])
    assert torch.equal(encoded.final()[1], encoded.states_BSE[1, 2])
    other = torch.cat((x[:, :3], torch.randn(2, 2, DIM)), 1)
    assert torch.equal(encoder(other, real).final()[1], encoded.final()[1])
