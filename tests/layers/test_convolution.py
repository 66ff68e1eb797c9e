import pytest
import torch
from torch import Tensor
from torch.nn.functional import conv1d, pad

from saccade.layers.convolution import Convolution, scaled_linear

SHAPES = [(1, 1), (2, 1), (3, 1), (3, 2), (3, 4), (5, 3), (4, 2)]  # kernel, dilation
WORDS = 7


def made(kernel: int, dilation: int) -> Convolution:
    layer = Convolution(input_dim=4, output_dim=5, kernel=kernel, dilation=dilation)
    torch.nn.init.normal_(layer.taps.bias)
    return layer


def naive(layer: Convolution, x: Tensor, before: int) -> Tensor:
    """The equation, number by number."""
    matrix, bias = layer.taps.weight.tolist(), layer.taps.bias.tolist()
    rows, words, width = x.shape
    values = x.tolist()
    y = torch.zeros(rows, words, len(bias))
    for n in range(rows):
        for t in range(words):
            for out, start in enumerate(bias):
                total = start
                for i in range(layer.kernel):
                    place = t - before + i * layer.dilation
                    if 0 <= place < words:
                        total += sum(matrix[out][i * width + c] * values[n][place][c] for c in range(width))
                y[n, t, out] = total
    return y


@pytest.mark.parametrize(("kernel", "dilation"), SHAPES)
def test_centred(kernel: int, dilation: int) -> None:
    layer, x = made(kernel, dilation), torch.randn(2, WORDS, 4)
    with torch.no_grad():
        torch.testing.assert_close(layer(x), naive(layer, x, (kernel - 1) * dilation // 2))


@pytest.mark.parametrize(("kernel", "dilation"), SHAPES)
def test_causal(kernel: int, dilation: int) -> None:
    layer, x = made(kernel, dilation), torch.randn(2, WORDS, 4)
    with torch.no_grad():
        found = layer.go_on(x, layer.nothing(x)).states_NTY
        torch.testing.assert_close(found, naive(layer, x, (kernel - 1) * dilation))


@pytest.mark.parity
@pytest.mark.parametrize(("kernel", "dilation"), SHAPES)
def test_torchs_convolution_is_the_same(kernel: int, dilation: int) -> None:
    layer, x = made(kernel, dilation), torch.randn(2, WORDS, 4)
    weight = layer.taps.weight.view(5, kernel, 4).transpose(1, 2)
    with torch.no_grad():
        expected = conv1d(pad(x.mT, (layer.reach, 0)), weight, layer.taps.bias, dilation=dilation).mT
        torch.testing.assert_close(layer.go_on(x, layer.nothing(x)).states_NTY, expected)


@pytest.mark.parametrize(("kernel", "dilation"), SHAPES)
@pytest.mark.parametrize("parts", [[1] * WORDS, [3, 4], [1, 5, 1]], ids=str)
def test_parts_that_go_on_are_the_whole(kernel: int, dilation: int, parts: list[int]) -> None:
    layer, x = made(kernel, dilation), torch.randn(2, WORDS, 4)
    past, found = layer.nothing(x), []
    with torch.no_grad():
        for part in x.split(parts, dim=1):
            convolved = layer.go_on(part, past)
            past = convolved.past_NPX
            found.append(convolved.states_NTY)
            assert past.shape == (2, (kernel - 1) * dilation, 4)
        torch.testing.assert_close(torch.cat(found, 1), layer.go_on(x, layer.nothing(x)).states_NTY)


@pytest.mark.parametrize(
    ("causal", "kernel", "dilation", "seen"),
    [
        (True, 3, 1, [3, 4, 5]),
        (True, 3, 2, [1, 3, 5]),
        (True, 2, 4, [1, 5]),
        (False, 3, 1, [4, 5, 6]),
        (False, 3, 4, [1, 5, 9]),
        (False, 5, 2, [1, 3, 5, 7, 9]),
    ],
)
def test_what_a_word_sees(causal: bool, kernel: int, dilation: int, seen: list[int]) -> None:
    layer, x = made(kernel, dilation), torch.randn(1, 10, 4, requires_grad=True)
    output = layer.go_on(x, layer.nothing(x)).states_NTY if causal else layer(x)
    output[0, 5].sum().backward()
    assert x.grad is not None
    assert x.grad[0].abs().sum(-1).nonzero().flatten().tolist() == seen


@pytest.mark.parametrize("gain", [1.0, 4.0])
def test_the_gain_is_the_variance_of_what_comes_out(gain: float) -> None:
    x = torch.randn(200, 10, 64)
    convolution = Convolution(input_dim=64, output_dim=64, kernel=3, gain=gain)
    with torch.no_grad():
        assert scaled_linear(64, 64, gain=gain)(x).var().item() == pytest.approx(gain, rel=0.1)
        inner = convolution(x)[:, 1:-1]  # at the edges a neighbour is missing
    assert inner.var().item() == pytest.approx(gain, rel=0.1)
