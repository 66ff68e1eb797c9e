"""The longest path between two positions, found by changing the input of one and watching where the change arrives.

Shapes: N = 1 + T rows (one left alone, then one for each position that is changed), T positions, E width.
"""

from collections.abc import Callable, Iterator
from itertools import count

import torch
from torch import Tensor
from torch.nn.functional import linear, pad

from saccade.attention import EVERYWHERE, Mask, MultiHead
from saccade.complexity.convolution import Convolution
from saccade.complexity.theory import StackName
from saccade.errors import ModelError
from saccade.layers.recurrent import Recurrent

ONE_WAY: tuple[StackName, ...] = ("recurrent", "dilated")  # where a position learns only of earlier ones
WIDTH = 4  # a path is as long in a narrow layer as in a wide one

Stack = Callable[[Tensor], Iterator[Tensor]]
"""Takes the input (N, T, E); yields what the positions hold before the first step, after it, after the second …"""


def longest_path(stack: Stack, length: int, *, forwards: bool) -> int:
    """Steps until a change at any position has arrived at all others, or at all later ones if it goes ``forwards``.

    The input that is changed is zero everywhere: there a change stays exact however small it becomes on its way, while
    beside other numbers it would sooner or later be rounded off.
    """
    input_NTE = torch.zeros(1 + length, length, WIDTH, dtype=torch.float64)
    at = torch.arange(length)
    input_NTE[1 + at, at] = torch.randn(length, WIDTH, dtype=torch.float64)
    linked_TT = torch.ones(length, length, dtype=torch.bool)
    if forwards:
        linked_TT = linked_TT.triu()
    arrived_TT = torch.zeros_like(linked_TT)
    with torch.no_grad():
        for steps, held_NTE in zip(range(length + 1), stack(input_NTE), strict=False):
            arrived_TT |= (held_NTE[1:] != held_NTE[:1]).any(dim=-1)
            if arrived_TT[linked_TT].all():
                return steps
    raise ModelError(
        f"a change at one of {length} positions has not arrived everywhere after {length} steps: measure shorter inputs"
    )


def make_stack(name: StackName, *, kernel: int, window: int) -> Stack:
    """Layers of one type one upon the other, with weights of their own drawing, in double precision."""
    match name:
        case "self-attention":
            return _attention(EVERYWHERE)
        case "restricted":
            return _attention(Mask(window=window))
        case "contiguous":
            return _convolution(kernel, dilated=False)
        case "dilated":
            return _convolution(kernel, dilated=True)
        case "recurrent":
            return hand_over


def _attention(mask: Mask) -> Stack:
    def stack(x_NTE: Tensor) -> Iterator[Tensor]:
        yield x_NTE
        while True:
            x_NTE = MultiHead(dim=WIDTH, heads=1).double()(x_NTE, mask=mask)
            yield x_NTE

    return stack


def _convolution(kernel: int, *, dilated: bool) -> Stack:
    """With gaps 1, k, k² … between what a causal kernel reads, or with none and the kernel centred."""

    def stack(x_NTE: Tensor) -> Iterator[Tensor]:
        yield x_NTE
        for layer in count():
            gap = kernel**layer if dilated else 1
            x_NTE = Convolution(dim=WIDTH, kernel=kernel, gap=gap, causal=dilated).double()(x_NTE)
            yield x_NTE

    return stack


def hand_over(x_NTE: Tensor) -> Iterator[Tensor]:
    """One recurrent layer, seen as steps: h_t ← cell(x_t, h_{t−1}) at all positions at once, from states of zero.

    A state goes one position further with each step; after n − 1 of them all are those of the layer.
    """
    layer = Recurrent(input_dim=WIDTH, dim=WIDTH, cell="simple").double()
    yield from hand_over_in(layer, x_NTE)


def hand_over_in(layer: Recurrent, x_NTE: Tensor) -> Iterator[Tensor]:
    """The steps of ``layer``, a simple one."""
    kernel = layer.kernel
    input_NTE = linear(x_NTE, kernel.get_parameter("weight_ih_l0"), kernel.get_parameter("bias_ih_l0"))
    weight, bias = kernel.get_parameter("weight_hh_l0"), kernel.get_parameter("bias_hh_l0")
    held_NTE = torch.zeros_like(input_NTE)
    while True:
        state_NTE = linear(pad(held_NTE, (0, 0, 1, 0))[:, :-1], weight, bias)
        held_NTE = layer.cell.go_on(input_NTE, state_NTE, (held_NTE,))[0]
        yield held_NTE
