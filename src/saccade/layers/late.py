"""A weight that a loop uses at every step, with its gradient computed once.

Left to itself, backward multiplies a small (E × N)·(N × G) at each step and adds the result to the whole weight's
gradient. Here it keeps what each step had, and multiplies all of it at once in the end: (E × T·N)·(T·N × G).
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.nn.functional import linear


class LateLinear:
    """x ↦ x Wᵀ + b, for one pass through a loop; make a new one for each pass."""

    def __init__(self, weight_GE: Tensor, bias_G: Tensor | None = None) -> None:
        self._inputs: list[Tensor] = []
        self._gradients: list[Tensor] = []
        self._late = torch.is_grad_enabled() and weight_GE.requires_grad
        self._weight = _Collect.apply(weight_GE, self) if self._late else weight_GE
        self._bias = bias_G

    def __call__(self, x_NE: Tensor) -> Tensor:
        if not self._late:
            return linear(x_NE, self._weight, self._bias)
        product: Tensor = _Use.apply(x_NE, self._weight, self)
        return product if self._bias is None else product + self._bias

    def note(self, x_NE: Tensor, gradient_NG: Tensor) -> None:
        self._inputs.append(x_NE)
        self._gradients.append(gradient_NG)

    def gradient(self) -> Tensor:
        summed_GE = torch.cat(self._gradients).t() @ torch.cat(self._inputs)
        self._inputs, self._gradients = [], []
        return summed_GE


class _Use(Function):
    @staticmethod
    def forward(ctx: Any, x_NE: Tensor, weight_GE: Tensor, user: LateLinear) -> Tensor:
        ctx.save_for_backward(x_NE, weight_GE)
        ctx.user = user
        return x_NE @ weight_GE.t()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        x_NE, weight_GE = ctx.saved_tensors
        ctx.user.note(x_NE, gradients[0])
        return gradients[0] @ weight_GE, None, None


class _Collect(Function):
    @staticmethod
    def forward(ctx: Any, weight_GE: Tensor, user: LateLinear) -> Tensor:
        ctx.user = user
        ctx.set_materialize_grads(False)
        return weight_GE.view_as(weight_GE)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return ctx.user.gradient(), None
