"""A weight that a loop uses at every step, with its gradient computed once.

Left to itself, backward multiplies a small (E × N)·(N × G) at each step and adds the result to the whole weight's
gradient. Here it keeps what each step had, and multiplies all of it at once in the end: (E × T·N)·(T·N × G).
"""

from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn.functional import linear


class LateLinear:
    """x ↦ x Wᵀ + b, for one pass through a loop; make a new one for each pass."""

    def __init__(self, weight_GE: Tensor, bias_G: Tensor | None = None) -> None:
        self._kept = _Kept()
        self._late = torch.is_grad_enabled() and weight_GE.requires_grad
        self._weight: Tensor = _applied(_Collect, weight_GE, self._kept) if self._late else weight_GE
        self._bias = bias_G

    def __call__(self, x_NE: Tensor) -> Tensor:
        if not self._late:
            return linear(x_NE, self._weight, self._bias)
        product = _applied(_Use, x_NE, self._weight, self._kept)
        return product if self._bias is None else product + self._bias


class _Kept:
    """What the steps had. It knows neither the weight nor the graph, which know it: a circle would never be freed."""

    def __init__(self) -> None:
        self._inputs: list[Tensor] = []
        self._gradients: list[Tensor] = []

    def note(self, x_NE: Tensor, gradient_NG: Tensor) -> None:
        self._inputs.append(x_NE.detach())
        self._gradients.append(gradient_NG)

    def gradient(self) -> Tensor:
        found = torch.cat(self._gradients).t() @ torch.cat(self._inputs)
        self._inputs, self._gradients = [], []
        return found


def _applied(function: type[Function], *arguments: Any) -> Tensor:
    result: Tensor = cast(Any, function).apply(*arguments)
    return result


class _Use(Function):
    @staticmethod
    def forward(ctx: Any, x_NE: Tensor, weight_GE: Tensor, kept: _Kept) -> Tensor:
        ctx.save_for_backward(x_NE, weight_GE)
        ctx.kept = kept
        return x_NE @ weight_GE.t()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        x_NE, weight_GE = ctx.saved_tensors
        ctx.kept.note(x_NE, gradients[0])
        return gradients[0] @ weight_GE, None, None


class _Collect(Function):
    @staticmethod
    def forward(ctx: Any, weight_GE: Tensor, kept: _Kept) -> Tensor:
        ctx.kept = kept
        ctx.set_materialize_grads(False)
        return weight_GE.view_as(weight_GE)

    @staticmethod
    def backward(ctx: Any, *_: Tensor) -> tuple[Tensor | None, ...]:
        return ctx.kept.gradient(), None
