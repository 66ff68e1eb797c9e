"""What a search returns."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hypothesis:
    """One written text: ``tokens`` without the end token, ``score`` by which it was ranked.

    ``finished`` is False when it was cut off at the greatest allowed length. ``rows`` says in which row of the batch it
    stood at each step, end token included, so that what was recorded at that step can be found again.
    """

    tokens: tuple[int, ...]
    log_probability: float
    score: float
    finished: bool
    rows: tuple[int, ...]
