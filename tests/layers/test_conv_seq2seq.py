import math

import pytest
import torch
from torch import Tensor, nn

from attention.naive import attention
from saccade.attention import Mask, ScoreName
from saccade.layers import ConvSeq2SeqDecoder, ConvSeq2SeqEncoder, Encoded
from saccade.layers.conv_seq2seq import GatedBlock, LookingBlock

DIM = 6
LENGTHS = (5, 3)
REAL = torch.arange(5) < torch.tensor(LENGTHS)[:, None]


def shaken(module: nn.Module) -> None:
    """Biases that are not zero, so that none can be left out unnoticed."""
    for parameter in module.parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter)


def gated(block: GatedBlock, x: Tensor, before: int) -> Tensor:
    """One sentence (T, E), word by word."""
    kernel, words = block.convolution.kernel, len(x)
    taps = block.convolution.taps
    found = []
    for t in range(words):
        places = [t - before + i for i in range(kernel)]
        neighbours = torch.cat([x[p] if 0 <= p < words else torch.zeros(DIM) for p in places])
        both = taps.weight @ neighbours + taps.bias
        found.append(math.sqrt(0.5) * (x[t] + both[:DIM] * torch.sigmoid(both[DIM:])))
    return torch.stack(found)


def linear(layer: nn.Linear, x: Tensor) -> Tensor:
    return x @ layer.weight.T + layer.bias


def encoder(kernel: int = 3, layers: int = 2) -> ConvSeq2SeqEncoder:
    made = ConvSeq2SeqEncoder(dim=DIM, layers=layers, kernel=kernel)
    shaken(made)
    return made


def decoder(kernel: int = 3, score: ScoreName = "dot") -> ConvSeq2SeqDecoder:
    made = ConvSeq2SeqDecoder(dim=DIM, layers=2, kernel=kernel, score=score)
    shaken(made)
    return made


@pytest.mark.parametrize("kernel", [2, 3, 5])
def test_the_encoder_reads_as_the_paper_says(kernel: int) -> None:
    read, x = encoder(kernel), torch.randn(2, 5, DIM)
    with torch.no_grad():
        found = read(x, REAL)
        for sentence, length in enumerate(LENGTHS):
            words = 0.1 * x[sentence, :length]
            states = linear(read.begin, words)
            for block in read.layers:
                states = gated(block, states, (kernel - 1) // 2)
            states = linear(read.end, states)
            torch.testing.assert_close(found.states_BSE[sentence, :length], states)
            assert found.values_BSE is not None
            torch.testing.assert_close(
                found.values_BSE[sentence, :length], math.sqrt(length) * math.sqrt(0.5) * (states + words)
            )


@pytest.mark.parametrize("score", ["dot", "scaled-dot", "additive"])
@pytest.mark.parametrize("kernel", [2, 3])
def test_the_decoder_writes_as_the_paper_says(kernel: int, score: ScoreName) -> None:
    write, x = decoder(kernel, score), torch.randn(2, 4, DIM)
    source = Encoded(torch.randn(2, 5, DIM), REAL, values_BSE=torch.randn(2, 5, DIM))
    assert source.values_BSE is not None
    with torch.no_grad():
        found = write(x, source)
        words = 0.1 * x
        states = linear(write.begin, words)
        for block in write.layers:
            assert isinstance(block, LookingBlock)
            looking = block.cross_attention
            h = torch.stack([gated(block.gated, one, kernel - 1) for one in states])
            query = math.sqrt(0.5) * (linear(looking.query, h) + words)
            looked = attention(
                query[:, None],
                source.states_BSE[:, None],
                source.values_BSE[:, None],
                looking.score,
                Mask(keys_BK=REAL),
            )
            states = math.sqrt(0.5) * (h + looked.context[:, 0])
        torch.testing.assert_close(found, linear(write.end, states))


@pytest.mark.parametrize(("kernel", "layers"), [(3, 1), (3, 4), (5, 2)])
def test_a_state_sees_as_many_words_as_the_layers_reach(kernel: int, layers: int) -> None:
    x = torch.randn(1, 21, DIM, requires_grad=True)
    encoder(kernel, layers)(x, torch.ones(1, 21, dtype=torch.bool)).states_BSE[0, 10].sum().backward()
    assert x.grad is not None
    seen = x.grad[0].abs().sum(-1).nonzero().flatten()
    assert len(seen) == (kernel - 1) * layers + 1
    assert (seen[0] + seen[-1]) / 2 == 10


def test_padding_gets_no_gradient() -> None:
    x = torch.randn(2, 5, DIM, requires_grad=True)
    encoder()(x, REAL).states_BSE[1, :3].sum().backward()
    assert x.grad is not None
    assert x.grad[1, :3].abs().sum(-1).min() > 0
    assert x.grad[1, 3:].abs().sum() == 0


def test_the_variance_stays_through_many_layers() -> None:
    """What the start of the weights is for."""
    torch.manual_seed(3)
    x, real = torch.randn(8, 30, 64), torch.ones(8, 30, dtype=torch.bool)
    read = ConvSeq2SeqEncoder(dim=64, layers=12, kernel=3)
    write = ConvSeq2SeqDecoder(dim=64, layers=12, kernel=3, score="dot")
    with torch.no_grad():
        source = read(x, real)
        assert source.states_BSE.std().item() == pytest.approx(0.1, rel=0.25)
        # All layers look at the same source, so what they see is alike, and sums of it are somewhat larger.
        assert 0.1 < write(torch.randn(8, 30, 64), source).std().item() < 0.2


def test_a_step_is_a_word_of_the_whole_and_remembers_little() -> None:
    write, x = decoder(kernel=4), torch.randn(6, 9, DIM)
    source = encoder()(torch.randn(2, 5, DIM), REAL)
    assert source.values_BSE is not None
    wide = Encoded(
        source.states_BSE.repeat_interleave(3, 0),
        REAL.repeat_interleave(3, 0),
        source.values_BSE.repeat_interleave(3, 0),
    )
    with torch.no_grad():
        state = write.start(source)
        steps = torch.cat([write.step(x[:, t : t + 1], state) for t in range(9)], 1)
        torch.testing.assert_close(steps, write(x, wide))
    assert [tuple(one.shape) for one in state.rows.tensors] == [(6, 3, DIM)] * 2
    assert [len(one.keys) for one in state.source.layers] == [2], "one source for all rows and all layers"
