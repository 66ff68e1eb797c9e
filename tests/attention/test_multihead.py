import pytest
import torch
from torch import Tensor, nn

from attention import naive
from saccade.attention import EVERYWHERE, Mask, MultiHead, ScoreName
from saccade.errors import ModelError

REAL = torch.tensor([[True, True, True, True], [True, True, False, False]])


def by_the_formula(layer: MultiHead, query: Tensor, memory: Tensor, mask: Mask) -> Tensor:
    """output = [head_1; …; head_H] W_O, one head after the other."""
    width = layer.dim // layer.heads
    w_q, w_k, w_v = layer.in_weight.detach().chunk(3)
    b_q, b_k, b_v = layer.in_bias.detach().chunk(3)

    def project(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        heads = [
            x @ weight[h * width : (h + 1) * width].T + bias[h * width : (h + 1) * width] for h in range(layer.heads)
        ]
        return torch.stack(heads, dim=1)

    looked = naive.attention(
        project(query, w_q, b_q), project(memory, w_k, b_k), project(memory, w_v, b_v), layer.score, mask
    )
    joined = torch.cat([looked.context[:, h] for h in range(layer.heads)], dim=-1)
    return joined @ layer.out.weight.detach().T + layer.out.bias.detach()


def layer_of(score: ScoreName = "scaled-dot") -> MultiHead:
    layer = MultiHead(dim=12, heads=3, score=score).eval()
    nn.init.normal_(layer.in_bias)
    nn.init.normal_(layer.out.bias)
    return layer


@pytest.mark.parametrize("score", ["scaled-dot", "dot", "additive"])
@pytest.mark.parametrize("mask", [EVERYWHERE, Mask(causal=True), Mask(keys_BK=REAL)], ids=["all", "causal", "padding"])
def test_self_attention_by_the_formula(score: ScoreName, mask: Mask) -> None:
    layer, x = layer_of(score), torch.randn(2, 4, 12)
    torch.testing.assert_close(layer(x, mask=mask), by_the_formula(layer, x, x, mask), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("score", ["scaled-dot", "dot", "additive"])
def test_cross_attention_by_the_formula(score: ScoreName) -> None:
    layer, x, memory = layer_of(score), torch.randn(2, 3, 12), torch.randn(2, 4, 12)
    mask = Mask(keys_BK=REAL)
    expected = by_the_formula(layer, x, memory, mask)
    torch.testing.assert_close(layer(x, memory, mask=mask), expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(layer(x, layer.keys_values(memory), mask=mask), expected, atol=1e-5, rtol=1e-5)


def test_beams_share_the_projected_memory() -> None:
    layer, x, memory = layer_of(), torch.randn(6, 1, 12), torch.randn(2, 4, 12)
    shared = layer(x, layer.keys_values(memory), mask=Mask(keys_BK=REAL))
    repeated = layer(x, memory.repeat_interleave(3, 0), mask=Mask(keys_BK=REAL.repeat_interleave(3, 0)))
    torch.testing.assert_close(shared, repeated, atol=1e-6, rtol=1e-5)


@pytest.mark.parity
@pytest.mark.parametrize("cross", [False, True], ids=["self", "cross"])
def test_equal_to_torch(cross: bool) -> None:
    theirs = nn.MultiheadAttention(12, 3, batch_first=True)
    nn.init.normal_(theirs.in_proj_bias)
    nn.init.normal_(theirs.out_proj.bias)
    ours = MultiHead(dim=12, heads=3)
    ours.load_state_dict(
        {
            "in_weight": theirs.in_proj_weight,
            "in_bias": theirs.in_proj_bias,
            "out.weight": theirs.out_proj.weight,
            "out.bias": theirs.out_proj.bias,
        }
    )
    x = torch.randn(2, 4, 12)
    memory = torch.randn(2, 4, 12) if cross else x
    watcher = naive.Watcher()
    ours.listener = watcher
    output = ours(x, memory if cross else None, mask=Mask(keys_BK=REAL))
    expected, weights = theirs(x, memory, memory, key_padding_mask=~REAL, average_attn_weights=False)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(watcher.seen[0], weights, atol=1e-6, rtol=1e-5)


def test_dropout_is_for_training_only() -> None:
    layer, x = MultiHead(dim=12, heads=3, dropout=0.5), torch.randn(2, 4, 12)
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), layer(x))


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(
        ModelError,
        match=r"model\.dim 12 is not divisible by model\.heads 5: each head takes an equal part of the width",
    ):
        MultiHead(dim=12, heads=5)
