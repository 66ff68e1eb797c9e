"""Muon (Jordan et al. 2024): steps of equal size in every direction that a matrix can turn.

    M ← μM + G        U = the orthogonal matrix nearest to G + μM        W ← W − lr · 0.2 √max(rows, columns) · U

The factor gives U the size of an Adam step (Liu et al. 2025), so that one learning rate serves both. The kernel of a
convolution is a matrix with a row for each channel that it makes. What is no matrix of a hidden layer (embeddings, the
output's projection, biases, norms) is left to AdamW.

U is found by products alone and need not be exact: ``rounded`` finds it in bfloat16, as Jordan et al. do, which takes
less than half of the time where the machine multiplies such numbers itself.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

MOMENTUM = 0.95
# The quintic aX + bAX + cA²X, A = XXᵀ, moves every singular value to between 0.7 and 1.2 in five rounds.
ROUNDS = 5
QUINTIC = (3.4445, -4.7750, 2.0315)
ADAM_SIZE = 0.2


class Muon(torch.optim.AdamW):
    """Muon for ``hidden`` matrices, AdamW for the groups of ``others``."""

    def __init__(
        self, hidden: Iterable[nn.Parameter], others: list[dict[str, Any]], *, rounded: bool = False, **adamw: Any
    ) -> None:
        super().__init__([*others, {"params": list(hidden)}], **adamw)
        self._rounded = rounded
        self._by_shape: dict[torch.Size, list[Tensor]] = defaultdict(list)
        for parameter in self.param_groups[-1]["params"]:
            self._by_shape[parameter.shape].append(parameter)

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> Any:
        rate, decay = self.param_groups[-1]["lr"], self.param_groups[-1]["weight_decay"]
        for shape, parameters in self._by_shape.items():
            moments = [self._moment(parameter) for parameter in parameters]
            gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
            torch._foreach_mul_(moments, MOMENTUM)
            torch._foreach_add_(moments, gradients)
            ahead = torch._foreach_add(gradients, moments, alpha=MOMENTUM)
            matrices_NRC = torch.stack(list(ahead)).flatten(2)
            found_NRC = orthogonal(matrices_NRC.bfloat16() if self._rounded else matrices_NRC)
            steps = found_NRC.to(matrices_NRC.dtype).reshape(-1, *shape)
            torch._foreach_mul_(parameters, 1 - rate * decay)
            size = ADAM_SIZE * max(matrices_NRC.shape[1:]) ** 0.5
            torch._foreach_add_(parameters, list(steps.unbind()), alpha=-rate * size)
            for parameter in parameters:
                parameter.grad = None  # AdamW passes over what has no gradient
        return super().step(closure)

    def _moment(self, parameter: Tensor) -> Tensor:
        state: dict[str, Tensor] = self.state[parameter]
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        return state["momentum"]


def orthogonal(matrices_NRC: Tensor) -> Tensor:
    """U Vᵀ of each matrix U S Vᵀ, roughly, by Newton and Schulz's iteration."""
    a, b, c = QUINTIC
    wide = matrices_NRC.shape[-2] <= matrices_NRC.shape[-1]
    x = matrices_NRC if wide else matrices_NRC.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(ROUNDS):
        square = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x if wide else x.mT
