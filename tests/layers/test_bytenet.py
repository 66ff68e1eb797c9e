import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import pad, relu

from saccade.layers import ByteNetDecoder, ByteNetEncoder, Encoded
from saccade.layers.bytenet import DilatedBlock

DIM = 6
WIDE = 32  # with few numbers a relu may happen to leave none
LENGTHS = (5, 3)
REAL = torch.arange(5) < torch.tensor(LENGTHS)[:, None]


def shaken(module: nn.Module) -> None:
    """Norms that are not the identity and biases that are not zero, so that no part can be left out unnoticed."""
    for parameter in module.parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=0.3)


def encoder(*, sets: int = 1, dilations: int = 3, unfold: float = 1.2, dim: int = DIM) -> ByteNetEncoder:
    made = ByteNetEncoder(dim=dim, sets=sets, dilations=dilations, kernel=3, unfold=unfold)
    shaken(made)
    return made


def decoder(*, sets: int = 1, dilations: int = 3, kernel: int = 3, dim: int = DIM) -> ByteNetDecoder:
    made = ByteNetDecoder(dim=dim, sets=sets, dilations=dilations, kernel=kernel)
    shaken(made)
    return made


def linear(layer: nn.Module, x: Tensor) -> Tensor:
    assert isinstance(layer, nn.Linear)
    return x @ layer.weight.T + layer.bias


def f(norm: nn.Module, x: Tensor) -> Tensor:
    assert isinstance(norm, nn.LayerNorm)
    even = (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + norm.eps)
    return relu(even * norm.weight + norm.bias)


def block_by_hand(block: DilatedBlock, x: Tensor, before: int) -> Tensor:
    """One sentence (T, E), word by word."""
    taps, dilation = block.convolution.taps, block.convolution.dilation
    inner = f(block.narrow[3], linear(block.narrow[2], f(block.narrow[0], x)))
    found = []
    for t in range(len(x)):
        places = [t - before + i * dilation for i in range(block.convolution.kernel)]
        seen = torch.cat([inner[p] if 0 <= p < len(x) else torch.zeros(inner.shape[1]) for p in places])
        mixed = taps.weight @ seen + taps.bias
        found.append(x[t] + linear(block.widen[2], f(block.widen[0], mixed)))
    return torch.stack(found)


def stack(layers: nn.ModuleList) -> list[DilatedBlock]:
    return [block for block in layers if isinstance(block, DilatedBlock)]


def test_dilations_double_and_begin_anew_with_each_set() -> None:
    for model in (encoder(sets=2, dilations=5), decoder(sets=2, dilations=5)):
        assert [block.convolution.dilation for block in stack(model.layers)] == [1, 2, 4, 8, 16] * 2


def test_the_encoder_reads_as_the_paper_says() -> None:
    read, x = encoder(sets=2), torch.randn(2, 5, DIM)
    with torch.no_grad():
        found = read(x, REAL)
        assert found.states_BSE.shape == (2, 6, DIM)
        assert found.real_BS.sum(1).tolist() == [6, 4]
        for sentence, length in enumerate(LENGTHS):
            columns = math.ceil(1.2 * length)
            states = pad(x[sentence, :length], (0, 0, 0, columns - length))
            for block in stack(read.layers):
                states = block_by_hand(block, states, block.convolution.dilation)
            torch.testing.assert_close(found.states_BSE[sentence, :columns], read.norm(states))
            assert found.states_BSE[sentence, columns:].abs().sum() == 0


@pytest.mark.parametrize("kernel", [2, 3])
@pytest.mark.parametrize("words", [3, 4, 7])
def test_the_decoder_stands_on_the_columns(words: int, kernel: int) -> None:
    write, x = decoder(kernel=kernel), torch.randn(2, words, DIM)
    columns = torch.randn(2, 4, DIM)
    with torch.no_grad():
        found = write(x, Encoded(columns, torch.ones(2, 4, dtype=torch.bool)))
        for sentence in range(2):
            under = [columns[sentence, t] if t < 4 else torch.zeros(DIM) for t in range(words)]
            states = linear(write.begin, torch.cat((x[sentence], torch.stack(under)), -1))
            for block in stack(write.layers):
                states = block_by_hand(block, states, block.convolution.reach)
            torch.testing.assert_close(found[sentence], linear(write.end[2], f(write.end[0], states)))


@pytest.mark.parametrize(("unfold", "length", "columns"), [(1.0, 7, 7), (1.2, 7, 9), (1.2, 5, 6), (2.0, 3, 6)])
def test_a_source_unfolds_to_so_many_columns(unfold: float, length: int, columns: int) -> None:
    x, real = torch.randn(1, length + 4, DIM), torch.arange(length + 4)[None] < length
    assert encoder(unfold=unfold)(x, real).states_BSE.shape == (1, columns, DIM)


def test_columns_beyond_the_words_know_them() -> None:
    x = torch.randn(1, 10, WIDE, requires_grad=True)
    encoder(dim=WIDE)(x, torch.ones(1, 10, dtype=torch.bool)).states_BSE[0, 11].pow(2).sum().backward()
    assert x.grad is not None
    assert x.grad[0, -1].abs().sum() > 0


def test_a_column_sees_as_far_as_the_dilations_reach() -> None:
    """1 + 2 + 4 words to each side."""
    x = torch.randn(1, 25, WIDE, requires_grad=True)
    encoder(unfold=1, dim=WIDE)(x, torch.ones(1, 25, dtype=torch.bool)).states_BSE[0, 12].pow(2).sum().backward()
    assert x.grad is not None
    assert x.grad[0].abs().sum(-1).nonzero().flatten().tolist() == list(range(5, 20))


def test_a_word_sees_as_far_back_as_the_dilations_reach() -> None:
    """2 · (1 + 2 + 4) words back, and itself."""
    x = torch.randn(1, 25, WIDE, requires_grad=True)
    source = Encoded(torch.zeros(1, 25, WIDE), torch.ones(1, 25, dtype=torch.bool))
    decoder(dim=WIDE)(x, source)[0, 20].pow(2).sum().backward()
    assert x.grad is not None
    assert x.grad[0].abs().sum(-1).nonzero().flatten().tolist() == list(range(6, 21))


def test_a_step_is_a_word_of_the_whole_beyond_the_columns_too() -> None:
    write, x = decoder(), torch.randn(6, 11, DIM)
    source = encoder()(torch.randn(2, 5, DIM), REAL)
    wide = Encoded(source.states_BSE.repeat_interleave(3, 0), source.real_BS.repeat_interleave(3, 0))
    with torch.no_grad():
        state = write.start(source)
        steps = torch.cat([write.step(x[:, t : t + 1], state) for t in range(11)], 1)
        torch.testing.assert_close(steps, write(x, wide))
    assert [tuple(one.shape) for one in state.rows.tensors] == [(6, past, DIM // 2) for past in (2, 4, 8)]
    assert state.source.layers[0].values.shape == (2, 1, 6, DIM), "the rows of a sentence share its columns"


def test_an_odd_width_is_no_trouble() -> None:
    assert encoder(dim=7)(torch.randn(1, 4, 7), torch.ones(1, 4, dtype=torch.bool)).states_BSE.shape == (1, 5, 7)
