import math

import pytest
import torch
from torch import Tensor, nn

from saccade.layers import MixtureOfExperts, take_balance_loss

EVERYTHING = torch.ones(2, 7, dtype=torch.bool)


@pytest.fixture
def x() -> Tensor:
    return torch.randn(2, 7, 6, generator=torch.Generator().manual_seed(1))


def mixture(*, experts: int = 4, used: int = 2, balance: float = 1.0, dropout: float = 0.0) -> MixtureOfExperts:
    torch.manual_seed(2)
    layer = MixtureOfExperts(dim=6, ff_dim=9, experts=experts, used=used, balance=balance, dropout=dropout)
    nn.init.normal_(layer.gate.weight)
    return layer


def expert(layer: MixtureOfExperts, number: int, vector: Tensor) -> Tensor:
    return (vector @ layer.inner_MEF[number]).relu() @ layer.outer_MFE[number]


def noise(seed: int, layer: MixtureOfExperts) -> Tensor:
    """What the layer draws for 14 tokens when torch is seeded so."""
    torch.manual_seed(seed)
    return torch.randn(14, len(layer.inner_MEF)).view(2, 7, -1)


@pytest.mark.parametrize("used", [2, 3])
@pytest.mark.parametrize("mode", ["evaluation", "training"])
def test_against_a_loop_over_tokens(x: Tensor, used: int, mode: str) -> None:
    layer = mixture(used=used).train(mode == "training")
    drawn = noise(5, layer)
    torch.manual_seed(5)
    found = layer(x)
    for b in range(2):
        for t in range(7):
            clean, raw = (x[b, t] @ layer.gate.weight.t()).tolist()[:4], (x[b, t] @ layer.gate.weight.t()).tolist()[4:]
            scale = [math.log1p(math.exp(r)) + 0.01 for r in raw]
            h = [c + (n * s if mode == "training" else 0) for c, n, s in zip(clean, drawn[b, t], scale, strict=True)]
            chosen = sorted(range(4), key=lambda m: -h[m])[:used]
            weights = {m: math.exp(h[m]) / sum(math.exp(h[one]) for one in chosen) for m in chosen}
            expected = sum((g * expert(layer, m, x[b, t]) for m, g in weights.items()), start=torch.zeros(6))
            torch.testing.assert_close(found[b, t], expected)


def test_the_noise_depends_on_the_seed_and_is_for_training_alone(x: Tensor) -> None:
    layer = mixture()

    def found(seed: int) -> Tensor:
        torch.manual_seed(seed)
        out: Tensor = layer(x)
        return out

    assert torch.equal(found(1), found(1))
    assert not torch.equal(found(1), found(2))
    layer.eval()
    state = torch.get_rng_state()
    assert torch.equal(layer(x), found(2))
    assert layer.routing is None
    torch.set_rng_state(state)
    layer(x)
    assert torch.equal(torch.get_rng_state(), state), "evaluation draws random numbers"


def test_an_expert_that_nobody_asks_has_no_gradient_but_a_place_for_it(x: Tensor) -> None:
    """The optimiser and its checkpoints know every parameter from the first step on."""
    layer = mixture(experts=3).eval()
    with torch.no_grad():
        layer.gate.weight[:3] = 0.0
        layer.gate.weight[:2, 0] = 1.0  # a positive first number asks for experts 0 and 1
        x[..., 0] = x[..., 0].abs()
    layer(x).sum().backward()
    for parameter in (layer.inner_MEF, layer.outer_MFE):
        assert parameter.grad is not None
        assert [bool(one.abs().sum() > 0) for one in parameter.grad] == [True, True, False]


def test_gradients_are_those_of_all_experts_under_sparse_gates(x: Tensor) -> None:
    layer = mixture().eval()

    def dense() -> Tensor:
        logits = (x @ layer.gate.weight.t())[..., :4]
        bar = logits.topk(3).values[..., 2:]
        gates = logits.masked_fill(logits <= bar, -torch.inf).softmax(-1)
        return sum((gates[..., m, None] * expert(layer, m, x) for m in range(4)), start=torch.zeros_like(x))

    grads = []
    for output in (layer(x), dense()):
        layer.zero_grad()
        (output * torch.arange(6)).sum().backward()
        grads.append([p.grad.clone() for p in layer.parameters() if p.grad is not None])
    assert len(grads[0]) == 3
    for sparse, expected in zip(*grads, strict=True):
        torch.testing.assert_close(sparse, expected, atol=1e-5, rtol=1e-5)


def squared_variation(numbers: list[float]) -> float:
    mean = sum(numbers) / len(numbers)
    return sum((n - mean) ** 2 for n in numbers) / len(numbers) / mean**2


def test_the_balance_loss_by_hand_without_padding(x: Tensor) -> None:
    layer, real = mixture(balance=0.3), torch.ones(2, 7, dtype=torch.bool)
    real[1, 4:] = False
    drawn = noise(6, layer)
    torch.manual_seed(6)
    layer(x)
    importance, load = [0.0] * 4, [0.0] * 4
    for b, t in real.nonzero().tolist():
        scores = (x[b, t] @ layer.gate.weight.t()).tolist()
        scale = [math.log1p(math.exp(r)) + 0.01 for r in scores[4:]]
        h = [c + n * s for c, n, s in zip(scores, drawn[b, t].tolist(), scale, strict=False)]
        chosen = sorted(range(4), key=lambda m: -h[m])[:2]
        for m in range(4):
            if m in chosen:
                importance[m] += math.exp(h[m]) / sum(math.exp(h[one]) for one in chosen)
            bar = sorted((h[other] for other in range(4) if other != m), reverse=True)[1]
            load[m] += 0.5 * (1 + math.erf((scores[m] - bar) / scale[m] / math.sqrt(2)))
    expected = 0.3 * (squared_variation(importance) + squared_variation(load))
    assert layer.take_balance_loss(real).item() == pytest.approx(expected, rel=1e-4)
    assert layer.take_balance_loss(real).item() == 0, "what the call left behind is not forgotten"


def test_the_load_is_the_probability_of_being_chosen(x: Tensor) -> None:
    """With the others' noise as it was, and that of one expert drawn a hundred thousand times."""
    layer = mixture(experts=3)
    torch.manual_seed(7)
    layer(x)
    assert layer.routing is not None
    logits, raw = (x[0, 0] @ layer.gate.weight.t()).chunk(2)
    scale = nn.functional.softplus(raw) + 0.01
    drawn = noise(7, layer)[0, 0]
    again = logits[0] + scale[0] * torch.randn(100_000)
    passed = (again[:, None] > (logits + scale * drawn)[1:]).sum(1) >= 1
    assert layer.routing.load[0, 0, 0].item() == pytest.approx(passed.float().mean().item(), abs=0.01)


def test_the_balance_loss_brings_every_expert_into_use() -> None:
    """A gate that sends every token to the same two experts learns to use all four."""
    layer = mixture()
    x = torch.randn(4, 32, 6, generator=torch.Generator().manual_seed(3))
    x[..., 0] = 3.0
    with torch.no_grad():
        layer.gate.weight *= 0.1
        layer.gate.weight[:2, 0] = 2.0
    optimizer = torch.optim.Adam([layer.gate.weight], lr=0.05)
    real = torch.ones(4, 32, dtype=torch.bool)
    shares = []
    for _ in range(120):
        layer(x)
        assert layer.routing is not None
        shares.append((layer.routing.gates > 0).float().mean((0, 1)) / 2)
        optimizer.zero_grad()
        layer.take_balance_loss(real).backward()
        optimizer.step()
    assert shares[0].min() < 0.01
    assert shares[-1].min() > 0.15


def test_the_mixtures_of_a_part_are_summed(x: Tensor) -> None:
    layers = nn.Sequential(mixture(), nn.LayerNorm(6), mixture(experts=5))
    torch.manual_seed(1)
    layers(x)
    summed = take_balance_loss(layers, EVERYTHING)
    torch.manual_seed(1)
    layers(x)
    each = [one.take_balance_loss(EVERYTHING) for one in layers if isinstance(one, MixtureOfExperts)]
    assert summed.item() == pytest.approx(sum(one.item() for one in each), rel=1e-6)
    assert take_balance_loss(nn.LayerNorm(6), EVERYTHING).item() == 0


def test_dropout_is_between_the_two_matrices(x: Tensor) -> None:
    plain, dropping = mixture(), mixture(dropout=0.9)
    outputs = []
    for layer in (plain, dropping):
        torch.manual_seed(3)  # the noise is drawn first, so that both choose alike
        outputs.append(layer(x))
    assert not torch.equal(*outputs)
    assert torch.equal(plain.eval()(x), dropping.eval()(x))
