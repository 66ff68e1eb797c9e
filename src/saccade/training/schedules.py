"""Learning-rate schedules: a factor of the highest rate, from the step and the share of the budget that is spent."""

import math


def factor(schedule: str, *, step: int, warmup: int, spent: float) -> float:
    """Rises as step / warmup in the warmup; then, of the share ``spent`` of the budget,

    inverse-sqrt: √(warmup / step) (Vaswani et al. 2017) · linear: 1 − spent · cosine: ½(1 + cos(π·spent)) · constant: 1
    """
    if step < warmup:
        return step / warmup
    match schedule:
        case "inverse-sqrt":
            return math.sqrt(warmup / step)
        case "linear":
            return 1.0 - spent
        case "cosine":
            return 0.5 * (1.0 + math.cos(math.pi * spent))
        case _:
            return 1.0
