"""Training on what a translation is worth, not on its reference's words (Ranzato et al. 2016; Wu et al. 2016).

Shapes: B sentences, K samples of each, N = B·K rows, S source tokens, T tokens of the longest sample, E width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from saccade.decoding import ModelSteps, Samples, sample
from saccade.evaluation.sentences import REWARDS, RewardName
from saccade.models import Seq2Seq


@dataclass(frozen=True)
class RewardSettings:
    """Which ``reward``, its ``share`` of the loss (the rest is likelihood's), and how many samples of each source."""

    reward: RewardName
    share: float
    samples: int


def expected_risk(
    model: Seq2Seq,
    source_BS: Tensor,
    references: Sequence[Sequence[int]],
    settings: RewardSettings,
    *,
    bos_id: int,
    eos_id: int,
) -> Tensor:
    """Σ over sentences of 1 − E[r(y)] for y drawn from the model, estimated from K samples y_k.

        value  Σ_b 1/K Σ_k (1 − r_k)        gradient  −Σ_b 1/K Σ_k (r_k − mean of the other r) ∇ log p(y_k | source)

    The baseline, what the sentence's other samples earned, does not depend on y_k: the gradient is unbiased, and where
    all samples are worth the same it is zero. Samples are drawn without dropout, from the generator that is seeded for
    the step.
    """
    written = _drawn(model, source_BS, references, settings.samples, bos_id=bos_id, eos_id=eos_id)
    reward = REWARDS[settings.reward]
    repeated = [reference for reference in references for _ in range(settings.samples)]
    rewards_BK = torch.tensor(
        [reward(text, reference) for text, reference in zip(written.texts(), repeated, strict=True)],
        device=source_BS.device,
    ).view(-1, settings.samples)
    others_BK = (rewards_BK.sum(dim=1, keepdim=True) - rewards_BK) / (settings.samples - 1)
    advantage_N = ((rewards_BK - others_BK) / settings.samples).flatten()

    read_NT = pad(written.written_NT[:, :-1], (1, 0), value=bos_id)
    states_NTE = model(source_BS.repeat_interleave(settings.samples, dim=0), read_NT)
    real_NT = written.real_NT
    surrogate = model.loss(
        states_NTE[real_NT],
        written.written_NT[real_NT],
        weights_N=advantage_N[:, None].expand_as(real_NT)[real_NT],
    )
    return (1 - rewards_BK).mean(dim=1).sum() + surrogate - surrogate.detach()


def _drawn(
    model: Seq2Seq, source_BS: Tensor, references: Sequence[Sequence[int]], samples: int, *, bos_id: int, eos_id: int
) -> Samples:
    """At most twice the tokens of the reference and ten more: what is longer earns next to nothing."""
    allowed = [] if model.max_target_length is None else [model.max_target_length]
    limits = [min([2 * len(reference) + 10, *allowed]) for reference in references]
    training = model.training
    with torch.no_grad():
        steps = ModelSteps(model.eval(), source_BS)
        found = sample(steps, limits, samples, bos_id=bos_id, eos_id=eos_id, device=source_BS.device)
    model.train(training)
    return found
