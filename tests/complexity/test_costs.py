"""What is exact is checked exactly: operations and memory. Of time only that it is measured fairly."""

import itertools
import time

import pytest
import torch
from torch import Tensor

from saccade.complexity.costs import count_operations, median_seconds, peak_memory
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


def test_runs_take_turns() -> None:
    calls: list[str] = []

    def named(name: str) -> Tensor:
        calls.append(name)
        time.sleep(0.03)
        return torch.zeros(())

    progress: list[int] = []
    seconds = median_seconds([lambda: named("a"), lambda: named("b")], repeats=3, on_progress=progress.append)
    assert "".join(calls) == "ab" * 4, "a round to warm up and three that count"
    assert progress == [1, 2, 3, 4, 5, 6]
    assert all(each >= 0.03 for each in seconds)


def test_one_slow_pass_does_not_change_the_median() -> None:
    pauses = itertools.chain([0.02, 0.02, 0.5], itertools.repeat(0.02))

    def run() -> Tensor:
        time.sleep(next(pauses))
        return torch.zeros(())

    assert median_seconds([run], repeats=3, on_progress=lambda done: None)[0] < 0.25
