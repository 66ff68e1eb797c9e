import math

import pytest

from saccade.training.schedules import factor


@pytest.mark.parametrize("schedule", ["inverse-sqrt", "linear", "cosine", "constant"])
def test_the_warmup_is_a_straight_line(schedule: str) -> None:
    rates = [factor(schedule, step=step, warmup=10, spent=0.0) for step in range(1, 11)]
    assert rates == pytest.approx([step / 10 for step in range(1, 11)])


@pytest.mark.parametrize(
    ("schedule", "step", "spent", "expected"),
    [
        ("inverse-sqrt", 100, 0.1, 1.0),
        ("inverse-sqrt", 400, 0.4, 0.5),
        ("inverse-sqrt", 10_000, 1.0, 0.1),
        ("linear", 500, 0.25, 0.75),
        ("linear", 1000, 1.0, 0.0),
        ("cosine", 500, 0.5, 0.5),
        ("cosine", 300, 1 / 3, 0.75),
        ("cosine", 1000, 1.0, 0.0),
        ("constant", 12345, 0.9, 1.0),
    ],
)
def test_then_the_formula_of_the_schedule(schedule: str, step: int, spent: float, expected: float) -> None:
    assert factor(schedule, step=step, warmup=100, spent=spent) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("step", "spent", "expected"), [(1, 0.0, 0.01), (5, 0.02, 0.2), (40, 0.02, 0.4), (50, 0.3, 1.0), (100, 0.3, 0.7)]
)
def test_a_timed_warmup_rises_with_step_or_time_whichever_is_sooner(step: int, spent: float, expected: float) -> None:
    assert factor("linear", step=step, warmup=100, spent=spent, timed=True) == pytest.approx(expected)


def test_no_warmup() -> None:
    assert factor("cosine", step=1, warmup=0, spent=0.1) == pytest.approx(0.5 * (1 + math.cos(math.pi * 0.1)))
