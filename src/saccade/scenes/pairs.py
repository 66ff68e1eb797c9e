"""Translation pairs with gold alignments, drawn from the embedded world."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qsl

from saccade.data.examples import Pair
from saccade.errors import DataError
from saccade.scenes.descriptions import DEFAULT_SIZES, SPLITS, Split, describe
from saccade.scenes.english import English
from saccade.scenes.french import French
from saccade.scenes.german import German
from saccade.scenes.grammar import Grammar
from saccade.scenes.plan import Statement
from saccade.scenes.spanish import Spanish
from saccade.scenes.words import Sentence, align

GRAMMARS: dict[str, Grammar] = {"en": English(), "fr": French(), "de": German(), "es": Spanish()}
LANGUAGES = tuple(GRAMMARS)
OPTIONS = ("size", "seed")


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
    languages, mark, query = spec.partition("?")
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
    numbers: dict[str, int] = {}
    for name, value in parse_qsl(query, keep_blank_values=True, separator="&") if mark else ():
        if name not in OPTIONS:
            raise DataError(f"scenes:{spec}: unknown option {name!r}; known are {', '.join(OPTIONS)}")
        if name in numbers:
            raise DataError(f"scenes:{spec}: option {name!r} is given twice; give it once")
        if not value.isdecimal():
            raise DataError(f"scenes:{spec}: {name} is {value!r}; a whole number is expected, as in {name}=3")
        numbers[name] = int(value)
    return Spec(source, target, numbers.get("size"), numbers.get("seed"))


def read_pairs(spec: str, split: str = "train", size: int | None = None, seed: int = 0) -> Iterator[Pair]:
    """The pairs of one split: ``read_pairs("en-fr")``, ``read_pairs("en-fr?size=5000&seed=3")``.

    Options in the spec go before the arguments. Without a size there are 20,000 pairs to train on and 500 each to
    validate and to test. No meaning, and so no sentence, is in two splits, whatever the sizes and seeds. What is
    wrong with the request is said at once, not when the first pair is taken.
    """
    asked = parse_spec(spec)
    if split not in SPLITS:
        raise DataError(f"scenes:{spec}: unknown split {split!r}; known are {', '.join(SPLITS)}")
    wanted = asked.size if asked.size is not None else size if size is not None else DEFAULT_SIZES[split]
    if wanted < 1:
        raise DataError(f"scenes:{spec}: size is {wanted}; it must be 1 or more")
    return _pairs(asked, split, wanted, seed if asked.seed is None else asked.seed)


def _pairs(asked: Spec, split: Split, size: int, seed: int) -> Iterator[Pair]:
    speak, translate = GRAMMARS[asked.source], GRAMMARS[asked.target]
    name = f"scenes:{asked.source}-{asked.target} {split}"
    for number, description in enumerate(describe(split, size, seed), start=1):
        source, target = speak.sentence(description.statement), translate.sentence(description.statement)
        yield Pair(source.text, target.text, f"{name} {number}", align(source, target))
