"""Learning-rate schedules: a factor of the highest rate, from the step and the share of the budget that is spent."""

import math

WARMUP_PART = 10  # a tenth of the budget, where the recipe leaves the warmup open
MOST_WARMUP = 1000  # steps, however large the budget


def factor(schedule: str, *, step: int, warmup: int, spent: float, timed: bool = False) -> float:
    """Rises as step / warmup in the warmup; then, of the share ``spent`` of the budget,

    inverse-sqrt: √(warmup / step) (Vaswani et al. 2017) · linear: 1 − spent · cosine: ½(1 + cos(π·spent)) · constant: 1

    A ``timed`` warmup, whose steps nobody can count beforehand, rises with the time where that is sooner.
    """
    if step < warmup:
        return max(step / warmup, min(1.0, spent * WARMUP_PART)) if timed else step / warmup
    match schedule:
        case "inverse-sqrt":
            return math.sqrt(warmup / step)
        case "linear":
            return 1.0 - spent
        case "cosine":
            return 0.5 * (1.0 + math.cos(math.pi * spent))
        case _:
            return 1.0
