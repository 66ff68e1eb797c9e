"""What an ideal reader of stories gets right: the bounds on masked words and on next sentences.

BERT reads A and B, some lines of stories in which some words are hidden behind ``[MASK]``; B follows A in one story or
comes from another. A reader who knew the generator would weigh every way in which it can have made what he sees.
:class:`Storybook` makes this a short sum: a line fits few forms, a form leaves each role some of its values, and
whatever is hidden leaves more of both; the probability of all lines is then a product (see
:mod:`saccade.scenes.storybook`). Nothing is sampled and nothing is left out, so the posteriors are exact.

The share of hidden words that this reader gets right is "what the grammar determines": on average no model does better.
It is exact when every chosen word is hidden behind ``[MASK]``, half of the pairs follow, and the lines are cut out of
any place of a story; a line that ends with ``[CUT]`` is the beginning of one. Where a chosen word is shown after all
(BERT trains on one in ten so), a model can copy it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from saccade.errors import DataError
from saccade.scenes.forms import Form, Place
from saccade.scenes.plots import Plot
from saccade.scenes.storybook import Lines, Storybook, storybook

MASK = "[MASK]"
CUT = "[CUT]"  # ends a line of which the rest did not fit into a row
SURE = 0.99
Posterior = Mapping[str, float]
"""P(word | what is seen), the likeliest word first."""


@dataclass(frozen=True, slots=True)
class Halves:
    """What is read at once: A and B, words hidden behind ``[MASK]``."""

    first: Lines
    second: Lines


@dataclass(frozen=True, slots=True)
class Bound:
    """What an ideal reader gets right of so many questions."""

    share: float
    """The mean probability of the best answer: how often it is right in the long run."""
    sure: float
    """The share of questions to which the best answer has 99 % and more."""
    count: int


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand some lines: their steps and forms, and for each role the values that remain."""

    steps: Plot
    chance: float
    """Of the forms, given the steps."""
    fits: Mapping[str, int]
    """A bit for each value, set where it says every word that is seen."""
    hidden: tuple[Place, ...]
    """The places behind the masks, in order."""


def hidden_words(first: Sequence[str], second: Sequence[str] = (), book: Storybook | None = None) -> list[Posterior]:
    """P(word | A, B) for every mask in A and B, in order.

    With f = P(B follows A | A, B), by :func:`follows`, it is f · P(word | A B) + (1 - f) · P(word | its own half).
    """
    book = book or storybook()
    if not second:
        return [_sorted(found) for found in _hidden(book, first)]
    chance = follows(first, second, book)
    apart = [*_hidden(book, first), *_hidden(book, second)]
    together = _hidden(book, (*first, *second)) if chance else apart
    return [
        _sorted({word: chance * one.get(word, 0) + (1 - chance) * other.get(word, 0) for word in one | other})
        for one, other in zip(together, apart, strict=True)
    ]


def follows(first: Sequence[str], second: Sequence[str], book: Storybook | None = None) -> float:
    """P(B follows A | A, B) = P(AB) / (P(AB) + P(A) P(B)), when one B in two follows and the others come alone.

    What follows was made to fit, so that whatever is cut comes from elsewhere.
    """
    book = book or storybook()
    if any(line.endswith(CUT) for line in (*first, *second)):
        return 0.0
    together, apart = probability((*first, *second), book), probability(first, book) * probability(second, book)
    if not apart:
        raise DataError(f"no story says {' / '.join(first)}, or none says {' / '.join(second)}")
    return together / (together + apart)


def probability(lines: Sequence[str], book: Storybook | None = None) -> float:
    """P(lines): how likely they are at any of the places where a story has so many; masks stand for every word."""
    book = book or storybook()
    return sum(_weight(book, reading) for reading in _readings(book, lines)) / book.places.get(len(lines), 1.0)


def masked_word_bound(examples: Iterable[Halves], book: Storybook | None = None) -> Bound:
    """The share of all the masked words that an ideal reader gets right: the mean of max P(word | A, B)."""
    posteriors = (found for example in examples for found in hidden_words(example.first, example.second, book))
    return _bound(max(found.values()) for found in posteriors)


def next_sentence_bound(examples: Iterable[Halves], book: Storybook | None = None) -> Bound:
    """The share of pairs of which an ideal reader can tell whether B follows A: the mean of max(f, 1 - f)."""
    chances = (follows(example.first, example.second, book) for example in examples)
    return _bound(max(chance, 1 - chance) for chance in chances)


def _bound(best: Iterable[float]) -> Bound:
    chances = list(best)
    if not chances:
        raise DataError("a bound was asked for without a question: give pairs, and masks for masked words")
    return Bound(sum(chances) / len(chances), sum(chance >= SURE for chance in chances) / len(chances), len(chances))


def _sorted(found: Posterior) -> Posterior:
    return {word: found[word] for word in sorted(found, key=lambda word: (-found[word], word))}


def _hidden(book: Storybook, lines: Sequence[str]) -> list[dict[str, float]]:
    """P(word | lines) for every mask in lines of one story."""
    readings = _readings(book, lines)
    if not readings:
        raise DataError(f"no story says {' / '.join(lines)}: give lines of one story, one after the other")
    found: list[defaultdict[str, float]] = [defaultdict(float) for _ in readings[0].hidden]
    weights = [_weight(book, reading) for reading in readings]
    total = sum(weights)
    for reading, weight in zip(readings, weights, strict=True):
        for place, words in zip(reading.hidden, found, strict=True):
            values = ~(-1 << len(place.words)) if place.role is None else reading.fits[place.role]
            for word, says in place.masks.items():
                if fitting := (values & says).bit_count():
                    words[word] += weight / total * fitting / values.bit_count()
    return [dict(words) for words in found]


def _weight(book: Storybook, reading: Reading) -> float:
    """P(steps) · P(forms | steps) · Π_roles values that fit / values."""
    weight = book.windows[reading.steps] * reading.chance
    for role, values in reading.fits.items():
        weight *= values.bit_count() / book.sizes[role]
    return weight


def _readings(book: Storybook, lines: Sequence[str]) -> list[Reading]:
    """Every way to understand the lines as neighbours in one story."""
    whole = [Reading((), 1.0, {}, ())]
    for line in lines:
        parts = _read_line(book, line)
        joined = (_joined(book, before, part) for before in whole for part in parts)
        whole = [reading for reading in joined if reading is not None]
    return whole


def _joined(book: Storybook, before: Reading, part: Reading) -> Reading | None:
    """Both, one after the other; None where no story goes so or no value fits both."""
    steps = before.steps + part.steps
    if steps not in book.windows:
        return None
    fits = dict(before.fits)
    for role, values in part.fits.items():
        fits[role] = values & fits.get(role, values)
        if not fits[role]:
            return None
    return Reading(steps, before.chance * part.chance, fits, before.hidden + part.hidden)


@lru_cache(maxsize=1 << 16)
def _read_line(book: Storybook, line: str) -> tuple[Reading, ...]:
    """Every way to understand a single line."""
    words = line.split()
    readings = (
        _read_form(form, words, (step,), 1 / len(forms)) for step, forms in book.forms.items() for form in forms
    )
    return tuple(reading for reading in readings if reading is not None)


def _read_form(form: Form, words: list[str], steps: Plot, chance: float) -> Reading | None:
    if words[-1] == CUT:
        words = words[:-1]
        form = form[: len(words)] if len(form) > len(words) else ()
    if len(form) != len(words):
        return None
    fits: dict[str, int] = {}
    hidden = []
    for place, word in zip(form, words, strict=True):
        if word == MASK:
            hidden.append(place)
            says = ~(-1 << len(place.words))
        else:
            says = place.masks.get(word, 0)
        if place.role is not None:
            says &= fits.get(place.role, says)
            fits[place.role] = says
        if not says:
            return None
    return Reading(steps, chance, fits, tuple(hidden))
