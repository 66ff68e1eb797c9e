"""Translation pairs with gold alignments, drawn from the embedded world."""

from collections.abc import Iterator
from dataclasses import dataclass

from saccade.data.examples import Pair
from saccade.errors import DataError
from saccade.scenes.descriptions import describe
from saccade.scenes.english import English
from saccade.scenes.french import French
from saccade.scenes.german import German
from saccade.scenes.grammar import Grammar
from saccade.scenes.plan import Statement
from saccade.scenes.spanish import Spanish
from saccade.scenes.spec import Draw, Options, decide, read_options
from saccade.scenes.words import Sentence, align

GRAMMARS: dict[str, Grammar] = {"en": English(), "fr": French(), "de": German(), "es": Spanish()}
LANGUAGES = tuple(GRAMMARS)


@dataclass(frozen=True, slots=True)
class Spec:
    """What ``en-fr?size=5000&seed=3`` asks for."""

    source: str
    target: str
    size: int | None = None
    seed: int | None = None


def realise(statement: Statement, language: str) -> Sentence:
    """Say the statement in the language."""
    if language not in GRAMMARS:
        raise DataError(f"scenes: unknown language {language!r}; known are {', '.join(LANGUAGES)}")
    return GRAMMARS[language].sentence(statement)


def parse_spec(spec: str) -> Spec:
    """Read ``source-target`` with options behind a question mark."""
    languages, _, _ = spec.partition("?")
    source, _, target = languages.partition("-")
    for language in (source, target):
        if language not in GRAMMARS:
            raise DataError(
                f"scenes:{spec}: unknown language {language!r}; known are {', '.join(LANGUAGES)}, written as en-fr"
            )
    if source == target:
        raise DataError(
            f"scenes:{spec}: source and target are both {source!r}; give two different ones of {', '.join(LANGUAGES)}"
        )
    options = read_options(spec)
    return Spec(source, target, options.size, options.seed)


def read_pairs(spec: str, split: str = "train", size: int | None = None, seed: int = 0) -> Iterator[Pair]:
    """The pairs of one split: ``read_pairs("en-fr")``, ``read_pairs("en-fr?size=5000&seed=3")``.

    Options in the spec go before the arguments. Without a size there are 20,000 pairs to train on and 500 each to
    validate and to test. No meaning, and so no sentence, is in two splits, whatever the sizes and seeds. What is
    wrong with the request is said at once, not when the first pair is taken.
    """
    asked = parse_spec(spec)
    draw = decide(spec, Options(asked.size, asked.seed), split=split, size=size, seed=seed)
    return _pairs(asked, draw)


def _pairs(asked: Spec, draw: Draw) -> Iterator[Pair]:
    speak, translate = GRAMMARS[asked.source], GRAMMARS[asked.target]
    name = f"scenes:{asked.source}-{asked.target} {draw.split}"
    for number, description in enumerate(describe(draw.split, draw.size, draw.seed), start=1):
        source, target = speak.sentence(description.statement), translate.sentence(description.statement)
        yield Pair(source.text, target.text, f"{name} {number}", align(source, target))
