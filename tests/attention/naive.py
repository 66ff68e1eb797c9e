"""Attention once more, in plain Python with nothing but loops: what the real code is held against."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from saccade.attention import Mask
from saccade.attention.scores import Additive, Dot, Score

ScoreOf = Callable[[int, list[float], list[float]], float]


def score_of(score: Score) -> ScoreOf:
    """score(head, query, key) of two vectors, as the paper writes it."""
    if isinstance(score, Additive):
        v = score.v_HD.tolist()
        return lambda head, q, k: sum(v[head][i] * math.tanh(q[i] + k[i]) for i in range(len(q)))
    if score.scaled:
        return lambda head, q, k: sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q))
    return lambda head, q, k: sum(a * b for a, b in zip(q, k, strict=True))


def may_look(mask: Mask, sentence: int, query: int, key: int, queries: int, keys: int) -> bool:
    position = query + keys - queries
    if mask.keys_BK is not None and not mask.keys_BK[sentence, key]:
        return False
    if mask.causal and key > position:
        return False
    return mask.window is None or abs(key - position) <= mask.window


@dataclass(frozen=True)
class Looked:
    weights: Tensor
    context: Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, score: Score, mask: Mask) -> Looked:
    """The weights (N, H, Q, K) and the context (N, H, Q, D); G rows of queries, or G heads, to one of the keys."""
    rows, heads, queries, _ = query.shape
    batch, key_heads, keys, dim = value.shape
    fits = score_of(score)
    weights = torch.zeros(rows, heads, queries, keys, dtype=torch.float64)
    context = torch.zeros(rows, heads, queries, dim, dtype=torch.float64)
    for n in range(rows):
        b = n // (rows // batch)
        for h in range(heads):
            g = h // (heads // key_heads)
            for q in range(queries):
                seen = [k for k in range(keys) if may_look(mask, b, q, k, queries, keys)]
                powers = [math.exp(fits(h, query[n, h, q].tolist(), key[b, g, k].tolist())) for k in seen]
                for k, power in zip(seen, powers, strict=True):
                    weights[n, h, q, k] = power / sum(powers)
                    context[n, h, q] += power / sum(powers) * value[b, g, k].double()
    return Looked(weights.float(), context.float())


@dataclass
class Echo:
    """A listener that gives back the weights it saw, so that the explicit path makes the context."""

    seen: list[Tensor] = field(default_factory=list)

    def see(self, weights_NHQK: Tensor) -> Tensor:
        self.seen.append(weights_NHQK.detach().clone())
        return weights_NHQK


@dataclass
class Watcher:
    """A listener that only looks."""

    seen: list[Tensor] = field(default_factory=list)

    def see(self, weights_NHQK: Tensor) -> None:
        self.seen.append(weights_NHQK.detach().clone())


SCORES: dict[str, Callable[[], Score]] = {
    "scaled-dot": lambda: Dot(scaled=True),
    "dot": lambda: Dot(scaled=False),
    "additive": lambda: Additive(heads=4, dim=6),
}
