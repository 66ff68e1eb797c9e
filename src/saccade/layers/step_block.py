"""Blocks as one step of decoding goes through them: what the modules compute, in as few calls as it takes.

A step of one text multiplies one row. With 12 layers of width 32 the modules' own calls, look-ups of parts and views
took 2.3 ms of it on one thread, this form of them takes 1.2 ms. Attention is that of all others, and so is the cache.
Parameters are held as they are, for as long as texts are written; nothing is dropped out.

Shapes: N rows, B sentences, E width of the model, H heads, D width of a head.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from saccade.attention import GrowingCache, KeysValues, Mask, MultiHead, attend
from saccade.layers.blocks import DecoderBlock, EncoderBlock
from saccade.layers.feedforward import FeedForward
from saccade.layers.residual import Residual


class StepBlock:
    """Self-attention and feed-forward of one token in each row."""

    def __init__(self, block: EncoderBlock | DecoderBlock) -> None:
        self.attend_itself = _SelfAttention(block.self_attention, block.self_residual)
        self.feed_forward = _FeedForward(cast(FeedForward, block.feed_forward), block.ff_residual)

    def __call__(self, x_NE: Tensor, *, mask: Mask, cache: GrowingCache) -> Tensor:
        return self.feed_forward(self.attend_itself(x_NE, mask, cache))


class StepDecoderBlock:
    """The same with attention to the source in between."""

    def __init__(self, block: DecoderBlock) -> None:
        self.attend_itself = _SelfAttention(block.self_attention, block.self_residual)
        self.attend_source = _CrossAttention(block.cross_attention, block.cross_residual)
        self.feed_forward = _FeedForward(cast(FeedForward, block.feed_forward), block.ff_residual)

    def __call__(
        self, x_NE: Tensor, source: KeysValues, *, mask: Mask, source_mask: Mask, cache: GrowingCache
    ) -> Tensor:
        x_NE = self.attend_itself(x_NE, mask, cache)
        return self.feed_forward(self.attend_source(x_NE, source, source_mask))


Step = TypeVar("Step", StepBlock, StepDecoderBlock)


def step_blocks(kind: type[Step], blocks: Iterable[nn.Module]) -> list[Step] | None:
    """All of them; None if one has another form: norms behind its sublayers, or a mixture of experts."""
    every = [cast(DecoderBlock, block) for block in blocks]
    fit = all(isinstance(one.feed_forward, FeedForward) and one.self_residual.place == "pre" for one in every)
    return [kind(one) for one in every] if fit else None


class _SelfAttention:
    """x + W_O attend(W_Q z, W_K z, W_V z) for z = norm(x), where keys and values of earlier tokens are in the cache."""

    def __init__(self, attention: MultiHead, residual: Residual) -> None:
        self._attention, self._norm = attention, _norm(residual)
        self._in, self._out = (attention.in_weight, attention.in_bias), (attention.out.weight, attention.out.bias)

    def __call__(self, x_NE: Tensor, mask: Mask, cache: GrowingCache) -> Tensor:
        attention, rows = self._attention, len(x_NE)
        projected = linear(self._norm(x_NE), *self._in).view(rows, 3, attention.heads, 1, -1)
        query, key, value = projected.unbind(1)
        seen = cache.append(key, value)
        listener = None if attention.listener is None else cache.ancestry.listener(attention.listener)
        context_NH1D = attend(query, seen.keys, seen.values, score=attention.score, mask=mask, listener=listener)
        return x_NE + linear(context_NH1D.reshape(rows, -1), *self._out)


class _CrossAttention:
    """x + W_O attend(W_Q norm(x), keys and values of the source)."""

    def __init__(self, attention: MultiHead, residual: Residual) -> None:
        self._attention, self._norm = attention, _norm(residual)
        bias = attention.in_bias
        self._in = (attention.in_weight[: attention.dim], None if bias is None else bias[: attention.dim])
        self._out = (attention.out.weight, attention.out.bias)

    def __call__(self, x_NE: Tensor, source: KeysValues, mask: Mask) -> Tensor:
        attention, rows = self._attention, len(x_NE)
        query = linear(self._norm(x_NE), *self._in).view(rows, attention.heads, 1, -1)
        context_NH1D = attend(
            query, source.keys, source.values, score=attention.score, mask=mask, listener=attention.listener
        )
        return x_NE + linear(context_NH1D.reshape(rows, -1), *self._out)


class _FeedForward:
    """x + W₂ act(W₁ norm(x))."""

    def __init__(self, feed_forward: FeedForward, residual: Residual) -> None:
        self._norm = _norm(residual)
        self._inner, self._outer = ((each.weight, each.bias) for each in (feed_forward.inner, feed_forward.outer))
        self._activation = cast(Callable[[Tensor], Tensor], feed_forward.activation.forward)

    def __call__(self, x_NE: Tensor) -> Tensor:
        return x_NE + linear(self._activation(linear(self._norm(x_NE), *self._inner)), *self._outer)


def _norm(residual: Residual) -> Callable[[Tensor], Tensor]:
    norm = residual.norm
    shape, weight, bias, eps = norm.normalized_shape, norm.weight, norm.bias, norm.eps
    return lambda x: torch.layer_norm(x, shape, weight, bias, eps)
