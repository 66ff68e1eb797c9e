import math

import pytest
import torch

from saccade.layers import Activation, FeedForward

FUNCTIONS = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2))),
    "swish": lambda x: x / (1 + math.exp(-x)),
}


@pytest.mark.parametrize("activation", ["relu", "gelu", "swish"])
def test_against_the_formula(activation: Activation) -> None:
    layer = FeedForward(dim=3, ff_dim=5, activation=activation)
    torch.nn.init.normal_(layer.inner.bias)
    torch.nn.init.normal_(layer.outer.bias)
    x = torch.randn(2, 4, 3)
    w1, b1, w2, b2 = (t.tolist() for t in (layer.inner.weight, layer.inner.bias, layer.outer.weight, layer.outer.bias))
    found = layer(x)
    for b in range(2):
        for t in range(4):
            vector = x[b, t].tolist()
            hidden = [FUNCTIONS[activation](b1[j] + sum(w1[j][i] * vector[i] for i in range(3))) for j in range(5)]
            expected = [b2[i] + sum(w2[i][j] * hidden[j] for j in range(5)) for i in range(3)]
            assert found[b, t].tolist() == pytest.approx(expected, abs=1e-5)


def test_dropout_is_between_the_two_layers() -> None:
    layer = FeedForward(dim=3, ff_dim=5, dropout=0.9)
    torch.nn.init.constant_(layer.inner.bias, 1.0)
    x = torch.randn(2, 4, 3)
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), layer(x))
