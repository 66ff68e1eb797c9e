"""The loss of two passes against its definition, value and gradients."""

import pytest
import torch
from torch.nn.functional import cross_entropy, kl_div

from saccade.layers import consistency
from saccade.layers.consistency import consistency_loss
from saccade.layers.vocabulary import vocabulary_loss


@pytest.mark.parametrize("alpha", [0.0, 5.0])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("tokens", [1, 6, 13])
def test_equal_to_the_definition(tokens: int, smoothing: float, alpha: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "CHUNK", 6)
    states, weight = torch.randn(2, tokens, 8, requires_grad=True), torch.randn(11, 8, requires_grad=True)
    target = torch.randint(0, 11, (tokens,))
    ours = consistency_loss(states, weight, target, label_smoothing=smoothing, consistency=alpha)
    logits = states @ weight.t()
    first, second = logits.log_softmax(dim=-1)
    likelihood = sum(cross_entropy(one, target, label_smoothing=smoothing, reduction="sum") for one in logits)
    apart = kl_div(first, second, log_target=True, reduction="sum")
    apart = apart + kl_div(second, first, log_target=True, reduction="sum")
    theirs = likelihood / 2 + alpha / 4 * apart
    torch.testing.assert_close(ours, theirs)
    for one, other in zip(
        torch.autograd.grad(3 * ours, (states, weight)), torch.autograd.grad(3 * theirs, (states, weight)), strict=True
    ):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_passes_that_agree_cost_no_more_than_one() -> None:
    states, weight, target = torch.randn(7, 8), torch.randn(11, 8), torch.randint(0, 11, (7,))
    both = consistency_loss(torch.stack((states, states)), weight, target, label_smoothing=0.1, consistency=5.0)
    torch.testing.assert_close(both, vocabulary_loss(states, weight, target, label_smoothing=0.1))
