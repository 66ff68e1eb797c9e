"""How fast something grows: the straight line through measurements on logarithmic axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from saccade.errors import ModelError


@dataclass(frozen=True)
class PowerLaw:
    """value = factor · size^exponent."""

    factor: float
    exponent: float

    def at(self, size: float) -> float:
        return self.factor * math.pow(size, self.exponent)


def fit_power_law(sizes: Sequence[float], values: Sequence[float]) -> PowerLaw:
    """Least squares of log value = log factor + exponent · log size."""
    if len(set(sizes)) < 2 or len(sizes) != len(values):
        raise ModelError(f"a power law needs values at two sizes or more, got {len(values)} at {len(set(sizes))}")
    if min(*sizes, *values) <= 0:
        raise ModelError("a power law goes through sizes and values above zero only")
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    middle_x, middle_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    across = math.fsum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    exponent = across / math.fsum((a - middle_x) ** 2 for a in x)
    return PowerLaw(math.exp(middle_y - exponent * middle_x), exponent)
