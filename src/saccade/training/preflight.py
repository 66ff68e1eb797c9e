"""Before a long training: take its heaviest steps and say what the whole will cost."""

import time
from dataclasses import dataclass

from torch import nn

from saccade.data.batches import Rows
from saccade.recipe import TrainSection
from saccade.tasks.base import Task
from saccade.training.crew import Crew
from saccade.training.optimizers import make_optimizer
from saccade.training.progress import steps_in

TIMED_STEPS = 3


@dataclass(frozen=True)
class Estimate:
    """``memory``: the peak of the crew's processes in bytes; ``seconds``: for the whole budget."""

    longest_tokens: int
    longest_rows: int
    tokens_per_second: float
    memory: int
    seconds: float


def estimate(task: Task, model: nn.Module, settings: TrainSection, crew: Crew, *, epoch_flops: int) -> Estimate:
    """Takes real training steps: first the one with the longest sentences, then a few against the clock."""
    optimizer = make_optimizer(model, settings)
    batches = task.batches.epoch(0)
    longest = max(batches, key=lambda rows: int(task.lengths(rows).max()))

    def step(rows: Rows) -> int:
        tokens = task.tokens(rows)
        crew.add_gradient(rows, divisor=tokens, seed=(0,))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return tokens

    model.train()
    step(longest)
    began = time.perf_counter()
    tokens = sum(step(rows) for rows in batches[:TIMED_STEPS])
    speed = tokens / (time.perf_counter() - began)
    return Estimate(
        longest_tokens=int(task.lengths(longest).max()),
        longest_rows=len(longest),
        tokens_per_second=speed,
        memory=crew.memory(),
        seconds=_seconds(settings, task, len(batches), speed, epoch_flops),
    )


def _seconds(settings: TrainSection, task: Task, batches: int, speed: float, epoch_flops: int) -> float:
    epoch_steps = batches / settings.accumulate
    steps = steps_in(settings.budget, epoch_steps=epoch_steps, epoch_tokens=task.epoch_tokens, epoch_flops=epoch_flops)
    return settings.budget.value * 60 if steps is None else steps / epoch_steps * task.epoch_tokens / speed
