"""For each task by what its systems are compared: what they are shown, how they are measured, named and tested."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from saccade.compare.classes import ClassMeasured, measure_classes
from saccade.compare.lengths import LengthScore, bleu_by_length
from saccade.compare.measured import Measured, measure
from saccade.compare.system import System, Telling
from saccade.data.examples import Pair, Pictured
from saccade.data.sources import PictureColumns, read_pictured
from saccade.errors import DataError, RecipeError
from saccade.evaluation.classification import accuracy
from saccade.evaluation.measured import compared
from saccade.evaluation.translation import PairedTest, compare_translations
from saccade.recipe import Recipe
from saccade.tasks.corpus import pairs_of
from saccade.training.folder import RunFolder
from saccade.training.kinds import corpus_settings, pixels_of

NOTHING = "–"

Example = TypeVar("Example")
Kind = TypeVar("Kind", bound=System)


class Measure(Protocol):
    """Evaluates a trained run on the test examples."""

    def __call__(
        self, run: RunFolder, examples: Any, /, *, name: str, data: str, command: str, telling: Telling
    ) -> System: ...


@dataclass(frozen=True)
class Column(Generic[Kind]):
    """A further column of the table."""

    heading: str
    cell: Callable[[Kind], str]


def _no_lengths(system: Any, examples: Any) -> tuple[LengthScore, ...]:  # noqa: ARG001 (a picture has no length)
    return ()


def _any(recipes: Sequence[Recipe]) -> None:
    """There is nothing to check."""


@dataclass(frozen=True)
class Yardstick(Generic[Kind, Example]):
    """How the systems of one task are compared.

    ``score`` and ``unit`` name the score and the examples, ``verb`` what is done to them, ``counted`` what the training
    calls tokens, ``shared`` the sections that all recipes have in common. With a budget in one of the units ``timed``
    systems are drawn by the time they took, else by their operations. ``test`` is given the best system and another.
    """

    score: str
    unit: str
    verb: str
    counted: str
    shared: tuple[str, ...]
    timed: tuple[str, ...]
    system: type[Kind]
    examples: Callable[[Recipe, str], list[Example]]
    measure: Measure
    test: Callable[[Kind, Kind, Sequence[Example]], PairedTest]
    lengths: Callable[[Kind, Sequence[Example]], tuple[LengthScore, ...]] = _no_lengths
    check: Callable[[Sequence[Recipe]], None] = _any
    beside: tuple[Column[Kind], ...] = ()
    further: tuple[Column[Kind], ...] = ()


def _pairs(recipe: Recipe, spec: str) -> list[Pair]:
    settings = corpus_settings(recipe)
    return list(pairs_of(spec, "test", source=settings.source, target=settings.target, rules=None, tag=settings.tag))


def _by_bleu(best: Measured, other: Measured, pairs: Sequence[Pair]) -> PairedTest:
    return compare_translations(best.translations, other.translations, [pair.target for pair in pairs]).bleu


def _bleu_by_length(system: Measured, pairs: Sequence[Pair]) -> tuple[LengthScore, ...]:
    return bleu_by_length([pair.source for pair in pairs], system.translations, [pair.target for pair in pairs])


def _alignment_error(system: Measured) -> str:
    return NOTHING if system.alignment_error is None else f"{system.alignment_error:.1%}"


def _pictures(recipe: Recipe, spec: str) -> list[Pictured]:
    columns = PictureColumns(recipe.data.picture, recipe.data.label)
    found = list(read_pictured(spec, split="test", columns=columns))
    if unlabelled := next((one for one in found if one.label is None), None):
        raise DataError(f"{unlabelled.where}: has no label: systems are compared by the labels they say")
    return found


def _by_accuracy(best: ClassMeasured, other: ClassMeasured, examples: Sequence[Pictured]) -> PairedTest:
    gold = [str(one.label) for one in examples]
    return compared(accuracy(gold, best.said), accuracy(gold, other.said))


def _equally_large(recipes: Sequence[Recipe]) -> None:
    """All systems get the same decoded pictures."""
    sizes = {recipe.name: pixels_of(recipe) for recipe in recipes}
    first, *others = sizes.items()
    for name, pixels in others:
        if pixels != first[1]:
            raise RecipeError(
                f"{first[0]} looks at pictures of {first[1]} pixels, {name} at pictures of {pixels}: all systems get "
                "the same pictures; say their size with data.pixels=…"
            )


YARDSTICKS: dict[str, Yardstick[Any, Any]] = {
    "translation": Yardstick(
        score="BLEU",
        unit="sentences",
        verb="translating",
        counted="tokens",
        shared=("data", "tokenizer"),
        timed=("tokens", "flops", "epochs"),
        system=Measured,
        examples=_pairs,
        measure=measure,
        test=_by_bleu,
        lengths=_bleu_by_length,
        beside=(Column("chrF", lambda system: f"{system.chrf.value:.1f}"),),
        further=(Column("alignment error", _alignment_error),),
    ),
    "picture-classification": Yardstick(
        score="accuracy",
        unit="pictures",
        verb="classifying",
        counted="pictures",
        shared=("data",),
        timed=("flops",),
        system=ClassMeasured,
        examples=_pictures,
        measure=measure_classes,
        test=_by_accuracy,
        check=_equally_large,
    ),
}
