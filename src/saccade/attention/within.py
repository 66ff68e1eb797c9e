"""Listeners that are part of a model: they keep its weights for a loss, or choose one key in place of their mean.

Shapes: N rows, H heads, Q queries at once, T of all steps together, K keys. Places are chosen by one head, a query at
a time.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot


class Keep:
    """Keeps the weights of every query, the mean of the heads, with their gradients, until they are taken."""

    def __init__(self) -> None:
        self._steps: list[Tensor] = []

    def see(self, weights_NHQK: Tensor) -> None:
        self._steps.append(weights_NHQK.mean(dim=1))

    def take(self) -> Tensor:
        """(N, T, K), of all steps since the last time."""
        found = torch.cat(self._steps, dim=1)
        self.clear()
        return found

    def clear(self) -> None:
        self._steps = []


@dataclass(frozen=True)
class Drawn:
    """The weights that places were drawn with, log p of those that were, and how undecided the weights were, in nats.

    Where the mean was taken no place was chosen, and log p is 0: nothing is to be learned from its reward.
    """

    weights_NTK: Tensor
    log_probability_NT: Tensor
    entropy_NT: Tensor


class Choose:
    """Hard attention (Xu et al. 2015): the context is one value, drawn with the weights as probabilities.

    In training a place is drawn for each step; at a share ``soft`` of the steps the mean is taken after all, which
    steadies the gradient. Otherwise, and wherever it is ``settled``, the likeliest place is taken.
    """

    def __init__(self, *, soft: float = 0.5) -> None:
        self.soft = soft
        self.training = self.settled = False
        self._weights: list[Tensor] = []
        self._log_probability: list[Tensor] = []
        self._entropy: list[Tensor] = []

    def see(self, weights_N11K: Tensor) -> Tensor:
        weights_NK = weights_N11K[:, 0, 0]
        keys = weights_NK.shape[-1]
        if self.settled or not self.training:
            return one_hot(weights_NK.argmax(dim=-1), keys).to(weights_NK.dtype)[:, None, None]
        place_N1 = torch.multinomial(weights_NK.detach(), 1)
        log_NK = weights_NK.clamp_min(torch.finfo(weights_NK.dtype).tiny).log()
        softly_N1 = torch.rand_like(weights_NK[:, :1]) < self.soft
        self._weights.append(weights_NK)
        self._log_probability.append(log_NK.gather(1, place_N1).masked_fill(softly_N1, 0.0)[:, 0])
        self._entropy.append(-(weights_NK * log_NK).sum(dim=-1))
        hard_NK = one_hot(place_N1[:, 0], keys).to(weights_NK.dtype)
        return torch.where(softly_N1, weights_NK, hard_NK)[:, None, None]

    def take(self) -> Drawn:
        """Of all steps since the last time."""
        kept = (self._weights, self._log_probability, self._entropy)
        found = Drawn(*(torch.stack(steps, dim=1) for steps in kept))
        self.clear()
        return found

    def clear(self) -> None:
        self._weights, self._log_probability, self._entropy = [], [], []
