"""How far a training is: the numbers that budgets, intervals and resuming are about."""

from dataclasses import dataclass, field

from saccade.data.batches import Position
from saccade.recipe import Amount


@dataclass(frozen=True)
class Progress:
    """Everything about a training that is not weights; a checkpoint keeps all of it.

    ``epochs`` counts fractions of the data seen; ``summed_loss`` and ``summed_tokens`` are those since the last row of
    metrics; ``metrics_bytes`` is how much of ``metrics.jsonl`` was written by then; ``flops`` are the floating-point
    operations of all steps, ``memory`` the most bytes that the training's processes held.
    """

    position: Position = field(default_factory=Position)
    step: int = 0
    warmup: int = 0
    epochs: float = 0.0
    tokens: int = 0
    flops: int = 0
    seconds: float = 0.0
    summed_loss: float = 0.0
    summed_tokens: int = 0
    best: float | None = None
    best_loss: float = 0.0
    best_step: int = 0
    stale: int = 0
    validated_step: int = 0
    metrics_bytes: int = 0
    memory: int = 0

    def measure(self, unit: str) -> float:
        """How much of ``unit`` was spent."""
        match unit:
            case "epochs":
                return self.epochs
            case "steps":
                return float(self.step)
            case "tokens":
                return float(self.tokens)
            case "flops":
                return float(self.flops)
            case _:
                return self.seconds / 60


def steps_in(budget: Amount, *, epoch_steps: float, epoch_tokens: int, epoch_flops: int) -> float | None:
    """How many steps a budget is; None where it is a time."""
    match budget.unit:
        case "epochs":
            return budget.value * epoch_steps
        case "steps":
            return budget.value
        case "tokens":
            return budget.value / epoch_tokens * epoch_steps
        case "flops":
            return budget.value / epoch_flops * epoch_steps
        case _:
            return None


def share(progress: Progress, budget: Amount) -> float:
    """Which part of the budget is spent, from 0 to 1."""
    return min(1.0, progress.measure(budget.unit) / budget.value)


def crossed(before: Progress, after: Progress, every: Amount) -> bool:
    """Whether a multiple of ``every`` lies between the two moments."""
    return after.measure(every.unit) // every.value > before.measure(every.unit) // every.value


def clock(seconds: float) -> str:
    """``1:02:03``, ``2:03``, ``0:07``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
