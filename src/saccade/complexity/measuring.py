"""All measurements of a plan: costs over lengths and widths, chains of kernels, paths between positions."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import torch

from saccade.complexity.chains import longest_chain
from saccade.complexity.costs import clock_for, count_operations, median_seconds, peak_memory
from saccade.complexity.fitting import PowerLaw, fit_power_law
from saccade.complexity.paths import ONE_WAY, longest_path, make_stack
from saccade.complexity.plan import Plan
from saccade.complexity.theory import THEORY, StackName, TypeName, longest_in_theory
from saccade.complexity.works import Part, Shape, Work, works
from saccade.evaluation.results import Machine, machine
from saccade.machine import keep_memory
from saccade.version import __version__

Watch = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Is told what begins and of how many parts it is; gives a function of the number done."""

SEED = 1
CHAIN_WIDTH = 8  # a chain has as many kernels in a narrow layer as in a wide one


@dataclass(frozen=True)
class Cost:
    """One pass at one size: operations of matrix products, peak bytes, median seconds."""

    size: int
    operations: int
    memory: int
    seconds: float


@dataclass(frozen=True)
class Growth:
    """Costs over sizes, and the power laws through them; ``theory`` is the exponent of operations, if it has one."""

    costs: tuple[Cost, ...]
    theory: int | None
    operations: PowerLaw
    memory: PowerLaw
    seconds: PowerLaw


@dataclass(frozen=True)
class Measured:
    """What was found of one part of one type; ``chain`` holds sequential operations for each of the plan's lengths."""

    type: TypeName
    part: Part
    name: str
    in_length: Growth
    in_width: Growth
    chain: tuple[int, ...]


@dataclass(frozen=True)
class Paths:
    """The longest path in a stack for each of the plan's ``path_lengths``, as found and as theory has it."""

    stack: StackName
    type: TypeName
    found: tuple[int, ...]
    theory: tuple[int, ...]


@dataclass(frozen=True)
class Complexity:
    """Everything that was measured, with what is needed to judge and repeat it."""

    plan: Plan
    measured: tuple[Measured, ...]
    paths: tuple[Paths, ...]
    machine: Machine
    seconds: float
    saccade: str = __version__
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


@contextmanager
def unwatched(*_: object) -> Iterator[Callable[[int], None]]:
    """Nobody looks on."""
    yield lambda done: None


def measure(plan: Plan, watch: Watch = unwatched) -> Complexity:
    """Weights and inputs are drawn from a fixed seed; threads and random state are as before when it is done."""
    began = time.perf_counter()
    keep_memory()
    threads = torch.get_num_threads()
    torch.set_num_threads(plan.threads)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            chosen = [work for name in plan.types for work in works(name, kernel=plan.kernel, window=plan.window)]
            chains = _chains(plan, chosen, watch)
            paths = _paths(plan, watch)
            measured = _costs(plan, chosen, chains, watch)
            return Complexity(plan, measured, paths, machine(), time.perf_counter() - began)
    finally:
        torch.set_num_threads(threads)


def _costs(plan: Plan, chosen: Sequence[Work], chains: Sequence[tuple[int, ...]], watch: Watch) -> tuple[Measured, ...]:
    shapes = [Shape(plan.rows_of_lengths, length, plan.width) for length in plan.lengths]
    shapes += [Shape(plan.rows_of_widths, plan.length, width) for width in plan.widths]
    runs = [work.build(shape) for work in chosen for shape in shapes]
    operations, memory = [], []
    with watch("counting operations and memory", len(runs)) as done:
        for place, run in enumerate(runs):
            operations.append(count_operations(run))
            memory.append(peak_memory(run))
            done(place + 1)
    with watch("timing", len(runs) * plan.repeats) as done:
        seconds = median_seconds(runs, repeats=plan.repeats, clock=clock_for(plan.threads), on_progress=done)

    costs = zip(operations, memory, seconds, strict=True)  # in the order of the runs
    measured = []
    for work, chain in zip(chosen, chains, strict=True):
        theory, has_theory = THEORY[work.type], work.part != "with projections"
        in_length = _growth(plan.lengths, costs, theory.in_length if has_theory else None)
        in_width = _growth(plan.widths, costs, theory.in_width if has_theory else None)
        measured.append(Measured(work.type, work.part, work.name, in_length, in_width, chain))
    return tuple(measured)


def _growth(sizes: Sequence[int], found: Iterator[tuple[int, int, float]], theory: int | None) -> Growth:
    """Takes the next costs that were found, one for each size."""
    costs = [Cost(size, *next(found)) for size in sizes]
    return Growth(
        tuple(costs),
        theory,
        operations=fit_power_law(sizes, [cost.operations for cost in costs]),
        memory=fit_power_law(sizes, [cost.memory for cost in costs]),
        seconds=fit_power_law(sizes, [cost.seconds for cost in costs]),
    )


def _chains(plan: Plan, chosen: Sequence[Work], watch: Watch) -> list[tuple[int, ...]]:
    with watch("following chains of kernels", len(chosen)) as done:
        chains = []
        for place, work in enumerate(chosen):
            shapes = (Shape(1, length, CHAIN_WIDTH) for length in plan.lengths)
            chains.append(tuple(longest_chain(work.build(shape)) for shape in shapes))
            done(place + 1)
    return chains


def _paths(plan: Plan, watch: Watch) -> tuple[Paths, ...]:
    stacks = [(name, stack) for name in plan.types for stack in THEORY[name].stacks]
    with watch("following changes from position to position", len(stacks)) as done:
        paths = []
        for place, (name, stack) in enumerate(stacks):
            built = make_stack(stack, kernel=plan.kernel, window=plan.window)
            found = tuple(longest_path(built, length, forwards=stack in ONE_WAY) for length in plan.path_lengths)
            theory = tuple(
                longest_in_theory(stack, length, kernel=plan.kernel, window=plan.window) for length in plan.path_lengths
            )
            paths.append(Paths(stack, name, found, theory))
            done(place + 1)
    return tuple(paths)
