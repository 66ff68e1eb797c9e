"""The gradient of a batch: what a training's process and each of its helpers compute alike."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from saccade.data.batches import Rows
from saccade.tasks.base import Task


@dataclass(frozen=True)
class Share:
    """One process's part of a batch: its rows, what their loss is divided by, and the seed of their dropout."""

    rows: Rows
    divisor: int
    seed: int


def shares(rows: Rows, *, divisor: int, parts: int, seed: tuple[int, ...]) -> list[Share]:
    """A batch cut into at most ``parts`` shares of neighbouring rows, whose lengths are closest.

    Each share draws from a generator of its own, which depends on ``seed`` and its number alone: whatever happened in
    a process before, a step that is taken again drops out the same numbers.
    """
    return [
        Share(part, divisor, int(np.random.SeedSequence([*seed, number]).generate_state(1, np.uint64)[0]))
        for number, part in enumerate(parted(rows, parts))
    ]


def parted(rows: Rows, parts: int) -> list[Rows]:
    """A batch as the processes see it: at most ``parts`` stretches of it, each padded to its own longest row."""
    return np.array_split(rows, min(parts, len(rows)))


def add_gradient(task: Task, model: nn.Module, share: Share, *, bfloat16: bool) -> float:
    """Adds ∇ Σ loss / divisor to the gradients of the model; returns Σ loss."""
    torch.manual_seed(share.seed)
    device = next(model.parameters()).device.type
    with torch.autocast(device, dtype=torch.bfloat16, enabled=bfloat16):
        loss = task.loss(model, share.rows)
    (loss.total / share.divisor).backward()  # type: ignore[no-untyped-call]
    return loss.total.item()
