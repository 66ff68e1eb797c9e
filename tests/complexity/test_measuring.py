import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace

import pytest
import torch

from complexity.small import SMALL
from saccade.complexity import THEORY, Complexity, measure
from saccade.version import __version__


def test_everything_is_measured_at_every_size(measured: Complexity) -> None:
    assert [each.name for each in measured.measured] == [
        "self-attention",
        "self-attention with weights held",
        "self-attention with projections",
        "recurrent",
        "convolutional",
        "restricted",
        "restricted with projections",
    ]
    for each in measured.measured:
        assert [cost.size for cost in each.in_length.costs] == [*SMALL.lengths]
        assert [cost.size for cost in each.in_width.costs] == [*SMALL.widths]
        assert len(each.chain) == len(SMALL.lengths)
        for cost in (*each.in_length.costs, *each.in_width.costs):
            assert min(cost.operations, cost.memory, cost.seconds) > 0


def test_lengths_at_one_width_and_widths_at_one_length(measured: Complexity) -> None:
    attention = measured.measured[0]
    width, length = SMALL.width, SMALL.length
    assert [c.operations for c in attention.in_length.costs] == [4 * n * n * width for n in SMALL.lengths]
    assert [c.operations for c in attention.in_width.costs] == [4 * 2 * length**2 * d for d in SMALL.widths]


def test_counted_exponents_are_theory_where_it_has_one(measured: Complexity) -> None:
    for each in measured.measured:
        for growth, theory in (
            (each.in_length, THEORY[each.type].in_length),
            (each.in_width, THEORY[each.type].in_width),
        ):
            if each.part == "with projections":
                assert growth.theory is None
            else:
                assert growth.theory == theory
                assert growth.operations.exponent == pytest.approx(theory, abs=1e-9)


def test_projections_pull_a_layer_from_its_operation(measured: Complexity) -> None:
    whole = next(each for each in measured.measured if each.name == "self-attention with projections")
    assert 1 < whole.in_length.operations.exponent < 2
    assert 1 < whole.in_width.operations.exponent < 2


def test_paths_are_those_of_theory(measured: Complexity) -> None:
    assert [each.stack for each in measured.paths] == [
        "self-attention",
        "recurrent",
        "dilated",
        "contiguous",
        "restricted",
    ]
    assert all(each.found == each.theory for each in measured.paths)


def test_only_what_is_asked_for() -> None:
    found = measure(replace(SMALL, types=("convolutional",)))
    assert [each.type for each in found.measured] == ["convolutional"]
    assert [each.stack for each in found.paths] == ["dilated", "contiguous"]


def test_threads_and_random_state_are_left_as_they_were() -> None:
    torch.set_num_threads(2)
    torch.manual_seed(3)
    expected = torch.randn(2)
    torch.manual_seed(3)
    found = measure(replace(SMALL, types=("convolutional",), threads=1))
    assert found.machine.threads == 1
    assert torch.get_num_threads() == 2
    assert torch.equal(torch.randn(2), expected)


def test_who_watches_is_told_of_every_part() -> None:
    told: dict[str, list[int]] = {}

    @contextmanager
    def watch(what: str, total: int) -> Iterator[Callable[[int], None]]:
        told[what] = []
        yield told[what].append
        assert told[what] == [*range(1, total + 1)]

    measure(replace(SMALL, types=("convolutional",)), watch)
    assert len(told) == 4


def test_it_is_all_plain_json(measured: Complexity) -> None:
    read = json.loads(json.dumps(asdict(measured), allow_nan=False))
    assert read["plan"]["lengths"] == [*SMALL.lengths]
    assert read["measured"][0]["in_length"]["theory"] == 2
    assert read["saccade"] == __version__
    assert read["date"].startswith("20")
