"""The next token of each row, drawn by chance from what the model holds likely.

Shapes: N rows, V vocabulary, C candidates of a row, likeliest first.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.errors import DecodingError

SOME = 128  # candidates that are looked at first when only a probability bounds them; mostly they are enough


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn: from p = softmax(logits / ``temperature``), of which only the likeliest may be left.

    ``top_k``: only k tokens; ``top_p``: only as many as have together the probability p (nucleus sampling, Holtzman et
    al. 2020), counted among those that top-k leaves. Temperature 0 draws nothing: it takes the likeliest (``greedy``).
    """

    temperature: float = 0.8
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < math.inf:
            raise DecodingError(f"the temperature is 0 (no chance) or above, got {self.temperature}")
        if self.top_k is not None and self.top_k < 1:
            raise DecodingError(f"top-k is at least 1 token, got {self.top_k}")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise DecodingError(f"top-p is a probability above 0 and up to 1, got {self.top_p}")

    @property
    def greedy(self) -> bool:
        return self.temperature == 0 or self.top_k == 1


def draw(logits_NV: Tensor, sampling: Sampling, chance_N: Tensor) -> Tensor:
    """A token for each row, (N,). ``chance_N`` are numbers from 0 to 1: the same ones draw the same tokens."""
    scaled_NV = (logits_NV - logits_NV.amax(dim=-1, keepdim=True)).float() / sampling.temperature
    if sampling.top_k is None and sampling.top_p is None:
        return _drawn(torch.softmax(scaled_NV, dim=-1), chance_N)
    best = _likeliest(scaled_NV, sampling)
    weights_NC = best.probability_NC
    if sampling.top_p is not None:
        before_NC = weights_NC.cumsum(dim=-1) - weights_NC
        before_NC[:, 0] = 0.0  # whatever rounding says, the likeliest token stays
        weights_NC = weights_NC * (before_NC < sampling.top_p)
    return best.tokens_NC.gather(1, _drawn(weights_NC, chance_N)[:, None])[:, 0]


def log_probability(logits_NV: Tensor, tokens_N: Tensor) -> Tensor:
    """log softmax(logits)[token], (N,): of the model's own distribution, whose other numbers are only summed up."""
    logits_NV = logits_NV.float()
    return logits_NV.gather(1, tokens_N[:, None])[:, 0] - logits_NV.logsumexp(dim=-1)


@dataclass(frozen=True)
class _Best:
    probability_NC: Tensor
    tokens_NC: Tensor


def _likeliest(scaled_NV: Tensor, sampling: Sampling) -> _Best:
    """The ``top_k`` tokens, or at least as many as make up ``top_p``."""
    vocab = scaled_NV.shape[1]
    if sampling.top_k is not None:
        best = scaled_NV.topk(min(sampling.top_k, vocab), dim=-1)
        return _Best(torch.softmax(best.values, dim=-1), best.indices)
    total_N1 = scaled_NV.logsumexp(dim=-1, keepdim=True)
    for size in (min(SOME, vocab), vocab):
        best = scaled_NV.topk(size, dim=-1)
        probability_NC = (best.values - total_N1).exp()
        if bool((probability_NC.sum(dim=-1) >= (sampling.top_p or 1.0)).all()):
            break
    return _Best(probability_NC, best.indices)


def _drawn(weights_NC: Tensor, chance_N: Tensor) -> Tensor:
    """The candidate at which the sum of the weights passes the share ``chance`` of all of them, (N,)."""
    reached_NC = weights_NC.cumsum(dim=-1)
    total_N1 = reached_NC[:, -1:].contiguous()
    below_N1 = torch.nextafter(total_N1, torch.zeros_like(total_N1))
    aimed_N1 = torch.minimum(chance_N[:, None].to(total_N1.dtype) * total_N1, below_N1)
    # What is no number is found nowhere: the last candidate then stands for it, and its likelihood is no number either.
    return torch.searchsorted(reached_NC, aimed_N1, right=True)[:, 0].clamp(max=weights_NC.shape[1] - 1)
