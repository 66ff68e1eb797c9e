"""Training on what a text is worth, not on its reference's words (Ranzato et al. 2016; Rennie et al. 2017).

Shapes: B sources, sentences or pictures, K samples of each, N = B·K rows, T tokens of the longest sample, E width.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from saccade.decoding import ModelSteps, Samples, sample
from saccade.evaluation.sentences import RewardName
from saccade.models import Captioner, Seq2Seq

Worth = Callable[[int, Sequence[Sequence[int]]], Sequence[float]]
"""The rewards of texts, as tokens, that were written of one source, given by its place in the batch."""


@dataclass(frozen=True)
class RewardSettings:
    """Which ``reward``, its ``share`` of the loss (the rest is likelihood's), and how many samples of each source."""

    reward: RewardName
    share: float
    samples: int


@dataclass(frozen=True)
class Writing:
    """A model that is to write of the sources of a batch.

    ``states`` gives the decoder's states (N, T, E) when it reads ``read_NT``, the K texts of each source one after
    another. At its limit a text is cut off; tokens of ``never`` are not written.
    """

    model: Seq2Seq | Captioner
    sources: Tensor
    states: Callable[[Tensor], Tensor]
    limits: Sequence[int]
    bos_id: int
    eos_id: int
    never: Sequence[int] = ()


def expected_risk(writing: Writing, worth: Worth, *, samples: int) -> Tensor:
    """Σ over sources of 1 − E[r(y)] for y drawn from the model, estimated from K samples y_k.

        value  Σ_b 1/K Σ_k (1 − r_k)        gradient  −Σ_b 1/K Σ_k (r_k − mean of the other r) ∇ log p(y_k | source)

    The baseline, what the source's other samples earned, does not depend on y_k: the gradient is unbiased, and where
    all samples are worth the same it is zero. Samples are drawn without dropout, from the generator that is seeded for
    the step.
    """
    model = writing.model
    written = _drawn(writing, samples)
    texts = written.texts()
    rewards_BK = torch.tensor(
        [worth(place, texts[first : first + samples]) for place, first in enumerate(range(0, len(texts), samples))],
        device=writing.sources.device,
    )
    others_BK = (rewards_BK.sum(dim=1, keepdim=True) - rewards_BK) / (samples - 1)
    advantage_N = ((rewards_BK - others_BK) / samples).flatten()

    read_NT = pad(written.written_NT[:, :-1], (1, 0), value=writing.bos_id)
    states_NTE = writing.states(read_NT)
    real_NT = written.real_NT
    surrogate = model.loss(
        states_NTE[real_NT],
        written.written_NT[real_NT],
        weights_N=advantage_N[:, None].expand_as(real_NT)[real_NT],
    )
    return (1 - rewards_BK).mean(dim=1).sum() + surrogate - surrogate.detach()


def _drawn(writing: Writing, samples: int) -> Samples:
    model = writing.model
    allowed = [] if model.max_target_length is None else [model.max_target_length]
    limits = [min([limit, *allowed]) for limit in writing.limits]
    training = model.training
    with torch.no_grad():
        steps = ModelSteps(model.eval(), writing.sources, never=writing.never)
        found = sample(
            steps, limits, samples, bos_id=writing.bos_id, eos_id=writing.eos_id, device=writing.sources.device
        )
    model.train(training)
    return found


def most_tokens(reference: int) -> int:
    """Of a sample whose reference has so many tokens: what is longer earns little, and all samples wait for it."""
    return reference + 10
