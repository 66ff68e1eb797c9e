from typing import Literal, TypeVar

import pytest
import torch
from torch import nn

from saccade.layers import Encoded, NormPlace, TransformerDecoder, TransformerEncoder
from saccade.layers.blocks import BlockShape, DecoderBlock, EncoderBlock

Activation = Literal["relu", "gelu"]
Module = TypeVar("Module", bound=nn.Module)

SOURCE_REAL = torch.tensor([[True] * 6, [True] * 4 + [False] * 2, [True] + [False] * 5])
ALL_REAL = torch.ones(3, 6, dtype=torch.bool)
PARTS = {
    "linear1": "feed_forward.inner",
    "linear2": "feed_forward.outer",
    "self_attn.in_proj_": "self_attention.in_",
    "self_attn.out_proj": "self_attention.out",
    "multihead_attn.in_proj_": "cross_attention.in_",
    "multihead_attn.out_proj": "cross_attention.out",
}
ENCODER_NORMS = {"norm1": "self_residual.norm", "norm2": "ff_residual.norm"}
DECODER_NORMS = {"norm1": "self_residual.norm", "norm2": "cross_residual.norm", "norm3": "ff_residual.norm"}


def shape(norm: NormPlace = "pre", activation: Activation = "relu", **options: int) -> BlockShape:
    return BlockShape(dim=16, heads=4, ff_dim=24, dropout=0.0, norm=norm, activation=activation, **options)


def shaken(module: Module) -> Module:
    """Norms that are not the identity and biases that are not zero, so that no part can be left out unnoticed."""
    for parameter in module.parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=0.5)
    return module


def copy_layer(theirs: nn.Module, ours: EncoderBlock | DecoderBlock) -> None:
    norms = ENCODER_NORMS if isinstance(ours, EncoderBlock) else DECODER_NORMS
    weights = {}
    for name, tensor in theirs.state_dict().items():
        for their_part, our_part in {**PARTS, **norms}.items():
            name = name.replace(their_part, our_part)
        weights[name] = tensor
    ours.load_state_dict(weights)


@pytest.mark.parity
@pytest.mark.parametrize("real", [ALL_REAL, SOURCE_REAL], ids=["unpadded", "padded"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_encoder_is_torchs(norm: NormPlace, activation: Activation, real: torch.Tensor) -> None:
    layer = nn.TransformerEncoderLayer(
        16, 4, 24, dropout=0.0, activation=activation, batch_first=True, norm_first=norm == "pre"
    )
    theirs = shaken(
        nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(16) if norm == "pre" else None, enable_nested_tensor=False)
    )
    ours = TransformerEncoder(shape(norm, activation), layers=2)
    for their_layer, our_layer in zip(theirs.layers, ours.layers, strict=True):
        copy_layer(their_layer, our_layer)
    if norm == "pre":
        ours.norm.load_state_dict(theirs.norm.state_dict())
    x = torch.randn(3, 6, 16)
    torch.testing.assert_close(ours(x, real).states_BSE, theirs(x, src_key_padding_mask=~real), atol=1e-5, rtol=1e-5)


@pytest.mark.parity
@pytest.mark.parametrize("real", [ALL_REAL, SOURCE_REAL], ids=["unpadded", "padded"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_decoder_is_torchs(norm: NormPlace, activation: Activation, real: torch.Tensor) -> None:
    layer = nn.TransformerDecoderLayer(
        16, 4, 24, dropout=0.0, activation=activation, batch_first=True, norm_first=norm == "pre"
    )
    theirs = shaken(nn.TransformerDecoder(layer, 2, norm=nn.LayerNorm(16) if norm == "pre" else None))
    ours = TransformerDecoder(shape(norm, activation), layers=2)
    for their_layer, our_layer in zip(theirs.layers, ours.layers, strict=True):
        copy_layer(their_layer, our_layer)
    if norm == "pre":
        ours.norm.load_state_dict(theirs.norm.state_dict())
    x, memory = torch.randn(3, 5, 16), torch.randn(3, 6, 16)
    expected = theirs(
        x,
        memory,
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(5),
        tgt_is_causal=True,
        memory_key_padding_mask=~real,
    )
    torch.testing.assert_close(ours(x, Encoded(memory, real)), expected, atol=1e-5, rtol=1e-5)


def test_pre_norm_ends_with_a_norm() -> None:
    assert isinstance(TransformerEncoder(shape("pre"), layers=1).norm, nn.LayerNorm)
    assert isinstance(TransformerEncoder(shape("post"), layers=1).norm, nn.Identity)


def test_a_window_reaches_as_far_as_the_layers_carry_it() -> None:
    """Two layers of reach 2: position 10 hears of positions 6 to 14 and of no other."""
    encoder = TransformerEncoder(shape(window=2), layers=2)
    x = torch.randn(1, 21, 16, requires_grad=True)
    encoder(x, torch.ones(1, 21, dtype=torch.bool)).states_BSE[0, 10].square().sum().backward()
    assert x.grad is not None
    assert x.grad[0].abs().sum(-1).nonzero().flatten().tolist() == list(range(6, 15))
    decoder = TransformerDecoder(shape(window=2), layers=2)
    x.grad = None
    decoder(x, Encoded(torch.randn(1, 3, 16), torch.ones(1, 3, dtype=torch.bool)))[0, 10].square().sum().backward()
    assert x.grad[0].abs().sum(-1).nonzero().flatten().tolist() == list(range(6, 11))


@pytest.mark.parametrize("window", [None, 2])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_steps_are_the_whole(norm: NormPlace, window: int | None) -> None:
    decoder = shaken(TransformerDecoder(shape(norm, window=window), layers=2))
    x, source = torch.randn(3, 20, 16), Encoded(torch.randn(3, 6, 16), SOURCE_REAL)
    with torch.no_grad():
        state = decoder.start(source)
        found = [decoder.step(x[:, t : t + 1], state) for t in range(20)]
        assert state.positions(len(x)).tolist() == [20] * len(x)
        torch.testing.assert_close(torch.cat(found, 1), decoder(x, source), atol=1e-5, rtol=1e-5)


def test_only_some_sentences_go_on() -> None:
    """Sentences 2 and 0 stay; of their two beams each, the second of 2 twice, both of 0 in turn."""
    decoder = shaken(TransformerDecoder(shape(), layers=2))
    memory, x = torch.randn(3, 6, 16), torch.randn(6, 3, 16)
    sentences, rows = torch.tensor([2, 0]), torch.tensor([5, 5, 1, 0])
    newest = torch.randn(4, 1, 16)
    with torch.no_grad():
        state = decoder.start(Encoded(memory, SOURCE_REAL))
        for t in range(3):
            decoder.step(x[:, t : t + 1], state)
        state.keep(sentences, rows)
        found = decoder.step(newest, state)
        prefixes = torch.cat((x[rows], newest), 1)
        of = torch.tensor([2, 2, 0, 0])
        whole = decoder(prefixes, Encoded(memory[of], SOURCE_REAL[of]))
    torch.testing.assert_close(found, whole[:, 3:], atol=1e-5, rtol=1e-5)
