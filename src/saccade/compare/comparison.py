"""The comparison itself: train what is not trained, evaluate what is not evaluated, and put the rows side by side."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol

from saccade.compare.folder import CompareFolder
from saccade.compare.lengths import LengthScore
from saccade.compare.plan import Plan
from saccade.compare.system import System
from saccade.compare.train import train
from saccade.compare.yardstick import YARDSTICKS, Yardstick
from saccade.evaluation.translation import PairedTest
from saccade.recipe import Amount, Recipe
from saccade.training.folder import held
from saccade.training.kinds import KINDS
from saccade.training.setup import use_machine
from saccade.version import __version__


@dataclass(frozen=True)
class Standing:
    """Which system comes now, and for how long all of it went on and will; None where that cannot be known yet."""

    number: int
    systems: int
    name: str
    gone: float
    left: float | None


class Watch(Protocol):
    """Somebody who is told how the comparison goes."""

    def say(self, text: str) -> None: ...

    def begins(self, standing: Standing) -> None: ...

    def evaluating(self, verb: str, examples: int) -> AbstractContextManager[Callable[[int], None]]: ...


@dataclass(frozen=True)
class Row:
    """A system beside the others. ``against_best`` is None for the best one; in it a is the best and b this one."""

    system: System
    against_best: PairedTest | None
    lengths: tuple[LengthScore, ...]


@dataclass(frozen=True)
class Comparison:
    """Systems that had the same data, tokenizer and budget; the best score first."""

    budget: Amount
    data: str
    rows: tuple[Row, ...]
    examples: tuple[Any, ...] = field(repr=False)
    recipe: Recipe = field(repr=False)
    command: str
    date: str
    saccade: str = __version__

    @property
    def yardstick(self) -> Yardstick[Any, Any]:
        return YARDSTICKS[self.recipe.task]


def run(plan: Plan, folder: CompareFolder, *, command: str, watch: Watch) -> Comparison:
    """Goes through the systems one after the other. Killed at any moment, it goes on with the next call."""
    first = plan.recipes[0]
    yardstick = YARDSTICKS[first.task]
    with held(folder.path, by="comparison"):
        examples = examples_of(plan)
        use_machine(first.train.threads)
        missing = [recipe for recipe in plan.recipes if not folder.measured_file(recipe).exists()]
        if missing:
            KINDS[first.task].prepare(first, folder.data, folder.path, watch.say)
        for recipe in missing:
            number = 1 + plan.recipes.index(recipe)
            watch.begins(_standing(plan, folder, number))
            trained = folder.run(recipe)
            train(trained.path)
            measured = yardstick.measure(
                trained,
                examples,
                name=recipe.name,
                data=plan.test_set,
                command=command,
                telling=partial(watch.evaluating, yardstick.verb),
            )
            measured.save(folder.measured_file(recipe))
        systems = [yardstick.system.read(folder.measured_file(recipe)) for recipe in plan.recipes]
    return side_by_side(plan, systems, examples, command=command)


def examples_of(plan: Plan) -> list[Any]:
    """Read before anything is trained, so that a mistake in it costs nothing."""
    first = plan.recipes[0]
    return YARDSTICKS[first.task].examples(first, plan.test_set)


def side_by_side(plan: Plan, systems: Sequence[System], examples: Sequence[Any], *, command: str) -> Comparison:
    """The best first, every other one tested against it."""
    yardstick = YARDSTICKS[plan.recipes[0].task]
    ordered = sorted(systems, key=lambda system: -system.score.value)
    best = ordered[0]
    rows = tuple(
        Row(
            system,
            None if system is best else yardstick.test(best, system, examples),
            yardstick.lengths(system, examples),
        )
        for system in ordered
    )
    return Comparison(
        budget=plan.budget,
        data=plan.test_set,
        rows=rows,
        examples=tuple(examples),
        recipe=plan.recipes[0],
        command=command,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _standing(plan: Plan, folder: CompareFolder, number: int) -> Standing:
    """Time left: by the budget where it is a time, else as long for each system as for those that are done."""
    kind = YARDSTICKS[plan.recipes[0].task].system
    done = [kind.read(path) for path in map(folder.measured_file, plan.recipes) if path.exists()]
    left = len(plan.recipes) - len(done)
    gone = [one.seconds + one.decoding_seconds for one in done]
    if plan.budget.unit == "minutes":
        each: float | None = plan.budget.value * 60
    else:
        each = sum(gone) / len(gone) if gone else None
    return Standing(
        number=number,
        systems=len(plan.recipes),
        name=plan.recipes[number - 1].name,
        gone=sum(gone),
        left=None if each is None else each * left,
    )
