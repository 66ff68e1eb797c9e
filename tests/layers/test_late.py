import weakref

import torch
from torch.nn.functional import linear

from saccade.layers.late import LateLinear


def test_the_gradient_is_that_of_a_plain_product_in_a_loop() -> None:
    def states(product, x_TNE, h_NE):  # type: ignore[no-untyped-def]
        for x_NE in x_TNE:
            h_NE = torch.tanh(x_NE + product(h_NE))
        return h_NE

    weight, x, h = (torch.randn(*shape, requires_grad=True) for shape in ((4, 4), (5, 3, 4), (3, 4)))
    states(LateLinear(weight), x, h).sum().backward()
    late = [one.grad.clone() for one in (weight, x, h) if one.grad is not None]
    for one in (weight, x, h):
        one.grad = None
    states(lambda h_NE: linear(h_NE, weight), x, h).sum().backward()
    plain = [one.grad for one in (weight, x, h) if one.grad is not None]
    assert len(late) == len(plain) == 3
    for mine, theirs in zip(late, plain, strict=True):
        torch.testing.assert_close(mine, theirs)


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
