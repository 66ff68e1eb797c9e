import weakref

import pytest
import torch
from torch import Tensor
from torch.nn.functional import linear

from saccade.layers.late import LateLinear


def loop(step: object, x_TNE: Tensor) -> Tensor:
    h = torch.zeros_like(x_TNE[0])
    for x in x_TNE:
        h = torch.tanh(step(h + x))  # type: ignore[operator]
    return h.square().sum()


@pytest.mark.parametrize("biased", [True, False])
def test_gradients_are_those_of_every_step(biased: bool) -> None:
    torch.manual_seed(1)
    weight = torch.randn(4, 4, dtype=torch.double, requires_grad=True)
    bias = torch.randn(4, dtype=torch.double, requires_grad=True) if biased else None
    x = torch.randn(6, 3, 4, dtype=torch.double, requires_grad=True)
    learned = [weight, x, *([bias] if bias is not None else [])]
    expected = torch.autograd.grad(loop(lambda h: linear(h, weight, bias), x), learned)
    found = torch.autograd.grad(loop(LateLinear(weight, bias), x), learned)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


def test_without_gradients_nothing_is_kept() -> None:
    weight = torch.randn(4, 4, requires_grad=True)
    with torch.no_grad():
        late = LateLinear(weight)
        torch.testing.assert_close(late(torch.ones(1, 4)), weight.sum(1)[None])
    frozen = LateLinear(weight.detach())
    assert not frozen(torch.ones(1, 4)).requires_grad


def test_a_pass_that_is_not_used_has_no_gradient() -> None:
    weight = torch.randn(4, 4, requires_grad=True)
    late = LateLinear(weight)
    used, unused = late(torch.ones(1, 4)), late(torch.full((1, 4), 9.0))
    assert unused.requires_grad
    used.sum().backward()
    torch.testing.assert_close(weight.grad, torch.ones(4, 4))


def test_nothing_is_kept_when_the_pass_is_over() -> None:
    """Without the collector: what a step held must not wait for it, nor escape it."""
    weight = torch.randn(4, 4, requires_grad=True)

    def a_pass(*, backward: bool) -> list[weakref.ref[object]]:
        late = LateLinear(weight)
        h_NE = torch.randn(3, 4, requires_grad=True) * 1.0
        for _ in range(3):
            h_NE = torch.tanh(late(h_NE))
        if backward:
            h_NE.sum().backward()
        return [weakref.ref(late), weakref.ref(late._kept), weakref.ref(h_NE)]

    for backward in (True, False):
        assert [reference() for reference in a_pass(backward=backward)] == [None, None, None]
