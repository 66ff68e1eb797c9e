from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.recipe import Amount
from saccade.training.progress import Progress, crossed, share, steps_in

HERE = Progress(step=40, epochs=2.5, tokens=9000, flops=3 * 10**12, seconds=90.0)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        ("10 epochs", 0.25),
        ("80 steps", 0.5),
        ("36000 tokens", 0.25),
        ("6e12 flops", 0.5),
        ("2 minutes", 0.75),
        ("1 hour", 0.025),
    ],
)
def test_the_share_of_a_budget(budget: str, expected: float) -> None:
    assert share(HERE, Amount.parse(budget)) == pytest.approx(expected)


def test_more_than_the_budget_is_the_whole_budget() -> None:
    assert share(HERE, Amount(3, "steps")) == 1.0


@pytest.mark.parametrize(
    ("budget", "expected"),
    [("3 epochs", 60.0), ("80 steps", 80.0), ("500 tokens", 10.0), ("1e10 flops", 40.0), ("2 minutes", None)],
)
def test_how_many_steps_a_budget_is(budget: str, expected: float | None) -> None:
    assert steps_in(Amount.parse(budget), epoch_steps=20, epoch_tokens=1000, epoch_flops=5 * 10**9) == expected


@pytest.mark.property
@given(every=st.integers(1, 12), strides=st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_each_multiple_is_crossed_once(every: int, strides: list[int]) -> None:
    before, times = Progress(), 0
    for stride in strides:
        after = replace(before, step=before.step + stride)
        expected = any(n % every == 0 for n in range(before.step + 1, after.step + 1))
        assert crossed(before, after, Amount(every, "steps")) is expected
        before, times = after, times + expected
    assert times <= before.step // every


def test_epochs_may_be_parts() -> None:
    half = Amount(0.5, "epochs")
    assert not crossed(Progress(epochs=0.1), Progress(epochs=0.4), half)
    assert crossed(Progress(epochs=0.4), Progress(epochs=0.6), half)
    assert crossed(Progress(epochs=0.9), Progress(epochs=1.0), half)
