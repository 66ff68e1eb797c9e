"""What a loop sees of its earlier steps: one buffer that fills up, instead of a longer copy at every step.

Left to itself, backward keeps every one of these copies, which is T²/2 vectors for T steps, and adds up their gradients
one by one. Here all steps share one buffer and one gradient of the same size. A step reads only what was written before
it, so that what it read never changes afterwards, though more is written behind it. Measured with a step of lstmn-lm on
16 rows of 128 words, one thread: 1.00 s of processor time instead of 1.36 s, and a quarter less memory.

Shapes: N rows, K earlier vectors, T steps, X width.
"""

from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd import Function


class Growing:
    """Vectors that come one at a time, for one pass through a loop; no gradient goes to those ``before`` the loop."""

    def __init__(self, before_NKX: Tensor, *, steps: int) -> None:
        self._filled = before_NKX.shape[1]
        self._kept = _Kept(before_NKX, steps)
        # Every addition hangs on the one before it: so backward comes to it when all later steps have had their say.
        self._chain: Tensor | None = None

    def add(self, newest_NX: Tensor) -> None:
        self._kept.write(newest_NX, self._filled)
        if torch.is_grad_enabled() and newest_NX.requires_grad:
            self._chain = _applied(_Add, newest_NX, self._chain, self._kept, self._filled)
        self._filled += 1

    def seen(self) -> Tensor:
        """All vectors so far, (N, K, X)."""
        if self._chain is None:
            return self._kept.first(self._filled)
        return _applied(_See, self._chain, self._kept, self._filled)


class _Kept:
    """The vectors and their gradients. It knows nothing of the graph, which knows it: a circle would never be freed."""

    def __init__(self, before_NKX: Tensor, steps: int) -> None:
        rows, self._begun, width = before_NKX.shape
        self._buffer = before_NKX.new_empty(rows, self._begun + steps, width)
        self._buffer[:, : self._begun] = before_NKX.detach()
        self._gradient: Tensor | None = None

    def write(self, newest_NX: Tensor, place: int) -> None:
        self._buffer[:, place] = newest_NX.detach()

    def first(self, vectors: int) -> Tensor:
        # Apart from the buffer in the eyes of autograd, which would take what is written behind it for a change of it.
        return self._buffer[:, :vectors].data

    def note(self, gradient_NKX: Tensor) -> None:
        if self._gradient is None:
            self._gradient = torch.zeros_like(self._buffer)
        self._gradient[:, : gradient_NKX.shape[1]] += gradient_NKX

    def gradient(self, place: int) -> Tensor | None:
        if self._gradient is None:
            return None
        gradient_NX = self._gradient[:, place]
        if place == self._begun:
            self._gradient = None
        return gradient_NX


def _applied(function: type[Function], *arguments: Any) -> Tensor:
    result: Tensor = cast(Any, function).apply(*arguments)
    return result


class _Add(Function):
    @staticmethod
    def forward(ctx: Any, newest_NX: Tensor, _chain: Tensor | None, kept: _Kept, place: int) -> Tensor:
        ctx.kept, ctx.place = kept, place
        return newest_NX.new_zeros(())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return ctx.kept.gradient(ctx.place), gradients[0] if ctx.needs_input_grad[1] else None, None, None


class _See(Function):
    @staticmethod
    def forward(ctx: Any, _chain: Tensor, kept: _Kept, vectors: int) -> Tensor:
        ctx.kept = kept
        return kept.first(vectors)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        ctx.kept.note(gradients[0])
        return gradients[0].new_zeros(()), None, None
