"""A buffer that fills up gives what longer and longer copies give, forwards and backwards."""

import weakref

import torch
from torch import Tensor

from saccade.layers.growing import Growing


def loop(x_NTX: Tensor, before_NKX: Tensor, *, copies: bool) -> Tensor:
    """h_t = tanh(x_t + mean of everything seen², weighted): looks back at itself at every step."""
    seen_NKX = before_NKX
    growing = Growing(before_NKX, steps=x_NTX.shape[1])
    h_NX = x_NTX[:, 0] * 0
    found = []
    for x_NX in x_NTX.unbind(1):
        past_NKX = seen_NKX if copies else growing.seen()
        weights_NK = torch.softmax((past_NKX * h_NX[:, None]).sum(-1), -1)
        h_NX = torch.tanh(x_NX + (weights_NK[:, None] @ past_NKX**2)[:, 0])
        growing.add(h_NX)
        seen_NKX = torch.cat((seen_NKX, h_NX[:, None]), 1)
        found.append(h_NX)
    last_NKX = seen_NKX if copies else growing.seen()
    return torch.cat((torch.stack(found, 1), last_NKX * 0.5), 1)


def test_the_same_numbers_and_gradients_as_with_copies() -> None:
    before = torch.randn(3, 2, 4)
    for earlier in (0, 2):
        results = []
        for copies in (True, False):
            torch.manual_seed(2)
            x = torch.randn(3, 6, 4, requires_grad=True)
            found = loop(x, before[:, :earlier], copies=copies)
            (found**2).sum().backward()
            results.append((found.detach(), x.grad))
        for copied, shared in zip(*results, strict=True):
            torch.testing.assert_close(copied, shared)


def test_backward_twice() -> None:
    x = torch.randn(2, 4, 3, requires_grad=True)
    found = loop(x, torch.zeros(2, 0, 3), copies=False).sum()
    found.backward(retain_graph=True)
    once = x.grad.clone()
    x.grad = None
    found.backward()
    assert torch.equal(x.grad, once)


def test_without_gradients() -> None:
    growing = Growing(torch.ones(2, 1, 3), steps=2)
    with torch.no_grad():
        growing.add(torch.full((2, 3), 2.0, requires_grad=True))
        first = growing.seen()
        growing.add(torch.full((2, 3), 3.0))
    assert not first.requires_grad
    assert first.tolist() == [[[1.0] * 3, [2.0] * 3]] * 2
    assert growing.seen()[0, :, 0].tolist() == [1.0, 2.0, 3.0]


def test_what_a_loop_kept_is_freed() -> None:
    """The buffer goes with the last result that needs it; nothing holds itself."""
    x = torch.randn(2, 4, 3, requires_grad=True)
    growing = Growing(torch.zeros(2, 0, 3), steps=4)
    for x_NX in x.unbind(1):
        growing.add(torch.tanh(x_NX + growing.seen().sum(1)))
    found = growing.seen().sum()
    kept = weakref.ref(growing._kept)
    del growing
    assert kept() is not None
    found.backward()
    del found
    assert kept() is None
