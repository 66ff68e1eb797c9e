"""The chunked loss against torch's own, value and gradients, whatever the number of tokens."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from saccade.layers import vocabulary
from saccade.layers.vocabulary import vocabulary_loss


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("tokens", [1, 5, 6, 7, 12])
def test_equal_to_all_logits_at_once(tokens: int, smoothing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "CHUNK", 6)
    states, weight = torch.randn(tokens, 8, requires_grad=True), torch.randn(11, 8, requires_grad=True)
    target = torch.randint(0, 11, (tokens,))
    ours = vocabulary_loss(states, weight, target, label_smoothing=smoothing)
    theirs = cross_entropy(states @ weight.t(), target, label_smoothing=smoothing, reduction="sum")
    torch.testing.assert_close(ours, theirs)
    for one, other in zip(
        torch.autograd.grad(3 * ours, (states, weight)), torch.autograd.grad(3 * theirs, (states, weight)), strict=True
    ):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_tokens_can_weigh_more_or_less_or_against(smoothing: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "CHUNK", 6)
    states, weight = torch.randn(14, 8, requires_grad=True), torch.randn(11, 8, requires_grad=True)
    target, weights = torch.randint(0, 11, (14,)), torch.randn(14)
    ours = vocabulary_loss(states, weight, target, label_smoothing=smoothing, weights_N=weights)
    each = cross_entropy(states @ weight.t(), target, label_smoothing=smoothing, reduction="none")
    torch.testing.assert_close(ours, weights @ each)
    for one, other in zip(
        torch.autograd.grad(3 * ours, (states, weight)),
        torch.autograd.grad(3 * (weights @ each), (states, weight)),
        strict=True,
    ):
        torch.testing.assert_close(one, other)


def test_extreme_logits_stay_finite() -> None:
    states = torch.full((2, 4), 1e4, requires_grad=True)
    weight = torch.tensor([[1.0] * 4, [-1.0] * 4, [0.0] * 4], requires_grad=True)
    loss = vocabulary_loss(states, weight, torch.tensor([0, 1]), label_smoothing=0.1)
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(states.grad).all()


def test_without_gradient_none_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a gradient was computed")

    monkeypatch.setattr(torch.Tensor, "addmm_", refuse)
    states, weight = torch.randn(3, 4, requires_grad=True), torch.randn(5, 4, requires_grad=True)
    with torch.no_grad():
        assert torch.isfinite(vocabulary_loss(states, weight, torch.tensor([0, 1, 2]), label_smoothing=0.0))


def test_no_tokens_no_loss() -> None:
    states, weight = torch.randn(0, 4, requires_grad=True), torch.randn(5, 4, requires_grad=True)
    loss = vocabulary_loss(states, weight, torch.empty(0, dtype=torch.long), label_smoothing=0.1)
    loss.backward()
    assert loss.item() == 0.0
    assert weight.grad is not None
    assert not weight.grad.any()


def test_under_autocast_the_loss_is_computed_in_full_precision() -> None:
    states, weight = torch.randn(9, 8), torch.randn(11, 8)
    target = torch.randint(0, 11, (9,))
    exact = vocabulary_loss(states, weight, target, label_smoothing=0.1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(vocabulary_loss(states, weight, target, label_smoothing=0.1), exact)
