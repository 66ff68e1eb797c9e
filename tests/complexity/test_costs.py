"""What is exact is checked exactly: operations and memory. Of time only that it is measured fairly."""

import itertools
import time

import pytest
import torch
from torch import Tensor

from saccade.complexity.costs import LEAST_SECONDS, clock_for, count_operations, median_seconds, peak_memory
from saccade.complexity.fitting import fit_power_law
from saccade.complexity.theory import THEORY, TYPES, TypeName
from saccade.complexity.works import Shape, Work, works

B, N, D, K, R = 2, 64, 16, 3, 8
PARTS = {work.name: work for name in TYPES for work in works(name, kernel=K, window=R)}


def test_operations_by_hand() -> None:
    counted = {name: count_operations(work.build(Shape(B, N, D))) for name, work in PARTS.items()}
    attention, projections = 4 * B * N * N * D, 8 * B * N * D * D
    blocks = 4 * B * N * (3 * R) * D
    assert counted == {
        "self-attention": attention,
        "self-attention with weights held": attention,
        "self-attention with projections": attention + projections,
        "recurrent": 4 * B * N * D * D,
        "convolutional": 2 * K * B * N * D * D,
        "restricted": blocks,
        "restricted with projections": blocks + projections,
    }


@pytest.mark.parametrize("name", TYPES)
def test_exponents_of_operations_are_those_of_theory(name: TypeName) -> None:
    sizes = (32, 64, 128, 256)
    for work in works(name, kernel=K, window=R):
        if work.part != "with projections":
            in_length = fit_power_law(sizes, [count_operations(work.build(Shape(1, n, D))) for n in sizes])
            in_width = fit_power_law(sizes, [count_operations(work.build(Shape(1, 32, d))) for d in sizes])
            assert in_length.exponent == pytest.approx(THEORY[name].in_length, abs=1e-9), work.name
            assert in_width.exponent == pytest.approx(THEORY[name].in_width, abs=1e-9), work.name


def test_operations_of_a_convolution_grow_with_its_kernel_and_of_a_window_with_its_reach() -> None:
    def counted(name: TypeName, kernel: int, window: int) -> int:
        return count_operations(works(name, kernel=kernel, window=window)[0].build(Shape(1, 64, 8)))

    assert counted("convolutional", 9, 4) == 3 * counted("convolutional", 3, 4)
    assert counted("restricted", 3, 8) == 2 * counted("restricted", 3, 4)


@pytest.mark.parametrize("work", PARTS.values(), ids=PARTS)
def test_a_pass_gives_a_context_for_every_position(work: Work) -> None:
    with torch.no_grad():
        result = work.build(Shape(B, N, D))()
    assert result.numel() == B * N * D
    assert result.isfinite().all()


def test_the_fused_kernel_gives_what_the_weights_give() -> None:
    with torch.no_grad():
        results = []
        for name in ("self-attention", "self-attention with weights held"):
            torch.manual_seed(1)
            results.append(PARTS[name].build(Shape(B, N, D))())
    torch.testing.assert_close(*results)


def test_peak_memory_by_hand() -> None:
    x = torch.ones(1000)

    def run() -> Tensor:
        first = x + 1  # 4,000 bytes
        second = first.double()  # and 8,000
        del first
        return second.float()  # 8,000 and 4,000: as much as before

    assert peak_memory(run) == 12_000
    assert peak_memory(lambda: x[:10]) == 0


def test_memory_is_quadratic_only_where_weights_are_held() -> None:
    def exponent(name: str) -> float:
        sizes = (1024, 2048, 4096)
        return fit_power_law(sizes, [peak_memory(PARTS[name].build(Shape(1, n, 64))) for n in sizes]).exponent

    assert exponent("self-attention with weights held") == pytest.approx(2, abs=0.05)
    for name in ("self-attention", "self-attention with projections", "convolutional", "restricted"):
        assert exponent(name) < 1.05, name


class Hours:
    """A clock that only work moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> Tensor:
        self.now += seconds
        time.sleep(LEAST_SECONDS)
        return torch.zeros(())


def test_runs_take_turns() -> None:
    clock, calls, progress = Hours(), list[str](), list[int]()

    def named(name: str, seconds: float) -> Tensor:
        calls.append(name)
        return clock.work(seconds)

    runs = [lambda: named("a", 2.0), lambda: named("b", 3.0)]
    assert median_seconds(runs, repeats=3, clock=clock, on_progress=progress.append) == [2.0, 3.0]
    assert "".join(calls) == "ab" * 4, "a round to warm up and three that count"
    assert progress == [1, 2, 3, 4, 5, 6]


def test_one_slow_pass_does_not_change_the_median() -> None:
    clock, seconds = Hours(), itertools.chain([2.0, 2.0, 50.0], itertools.repeat(2.0))
    runs = [lambda: clock.work(next(seconds))]
    assert median_seconds(runs, repeats=3, clock=clock, on_progress=lambda done: None) == [2.0]


def test_quick_passes_are_timed_together() -> None:
    ticks = itertools.count()
    calls = []

    def run() -> Tensor:
        calls.append(1)
        return torch.zeros(())

    (seconds,) = median_seconds([run], repeats=1, clock=lambda: float(next(ticks)), on_progress=lambda done: None)
    passes = len(calls) - 1
    assert passes > 10
    assert seconds == pytest.approx(1 / passes), "from one tick to the next, divided among them"


def test_on_one_thread_waiting_is_not_counted() -> None:
    for threads, counts in ((1, False), (2, True)):
        clock = clock_for(threads)
        began = clock()
        time.sleep(0.2)
        assert (clock() - began > 0.1) == counts
