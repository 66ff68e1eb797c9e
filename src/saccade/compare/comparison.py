"""The comparison itself: train what is not trained, evaluate what is not evaluated, and put the rows side by side."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from saccade.compare.folder import CompareFolder
from saccade.compare.lengths import LengthScore, bleu_by_length
from saccade.compare.measured import Measured, measure
from saccade.compare.plan import Plan
from saccade.compare.train import train
from saccade.data.examples import Pair
from saccade.evaluation.translation import PairedTest, compare_translations
from saccade.recipe import Amount, Recipe
from saccade.tasks.corpus import pairs_of, prepare
from saccade.training.folder import held
from saccade.training.kinds import corpus_settings
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

    def translating(self, sentences: int) -> AbstractContextManager[Callable[[int], None]]: ...


@dataclass(frozen=True)
class Row:
    """A system beside the others. ``against_best`` is None for the best one; in it a is the best and b this one."""

    system: Measured
    against_best: PairedTest | None
    lengths: tuple[LengthScore, ...]


@dataclass(frozen=True)
class Comparison:
    """Systems that had the same data, tokenizer and budget; the best BLEU first."""

    budget: Amount
    data: str
    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...] = field(repr=False)
    recipe: Recipe = field(repr=False)
    command: str
    date: str
    saccade: str = __version__


def run(plan: Plan, folder: CompareFolder, *, command: str, watch: Watch) -> Comparison:
    """Goes through the systems one after the other. Killed at any moment, it goes on with the next call."""
    first = plan.recipes[0]
    with held(folder.path, by="comparison"):
        pairs = test_pairs(plan)
        use_machine(first.train.threads)
        prepare(folder.data, folder.path, corpus_settings(first), watch.say)
        for number, recipe in enumerate(plan.recipes, start=1):
            if folder.measured_file(recipe).exists():
                continue
            watch.begins(_standing(plan, folder, number))
            trained = folder.run(recipe)
            train(trained.path)
            measured = measure(
                trained,
                pairs,
                name=recipe.name,
                data=plan.test_set,
                command=command,
                translating=watch.translating,
            )
            measured.save(folder.measured_file(recipe))
        systems = [Measured.read(folder.measured_file(recipe)) for recipe in plan.recipes]
    return side_by_side(plan, systems, pairs, command=command)


def test_pairs(plan: Plan) -> list[Pair]:
    """Read before anything is trained, so that a mistake in it costs nothing."""
    settings = corpus_settings(plan.recipes[0])
    return list(pairs_of(plan.test_set, "test", source=settings.source, target=settings.target, rules=None))


def side_by_side(plan: Plan, systems: Sequence[Measured], pairs: Sequence[Pair], *, command: str) -> Comparison:
    """The best first, every other one tested against it."""
    sources, references = [pair.source for pair in pairs], [pair.target for pair in pairs]
    ordered = sorted(systems, key=lambda system: -system.bleu.value)
    best = ordered[0]
    rows = tuple(
        Row(
            system,
            None if system is best else compare_translations(best.translations, system.translations, references).bleu,
            bleu_by_length(sources, system.translations, references),
        )
        for system in ordered
    )
    return Comparison(
        budget=plan.budget,
        data=plan.test_set,
        rows=rows,
        pairs=tuple(pairs),
        recipe=plan.recipes[0],
        command=command,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _standing(plan: Plan, folder: CompareFolder, number: int) -> Standing:
    """Time left: by the budget where it is a time, else as long for each system as for those that are done."""
    done = [Measured.read(path) for path in map(folder.measured_file, plan.recipes) if path.exists()]
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
