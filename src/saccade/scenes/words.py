"""What a sentence is made of: words that know what they say, and the alignment that follows from it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from saccade.data.examples import Link


class Concept(NamedTuple):
    """One bit of meaning: an ``aspect`` (kind, colour, count, where, deed ...) of some things of the scene.

    ``things`` are places in ``Scene.things``: the region of a word is where the things of its concepts are. A named
    tuple, for its hash: alignments are found by looking concepts up.
    """

    aspect: str
    things: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """A word and what it says. "du" says two things, the "of" and the "the"; a German comma may say nothing."""

    text: str
    concepts: tuple[Concept, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of one sentence. ``text.split()`` gives exactly these words, so alignments can count them."""

    language: str
    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


@lru_cache(maxsize=1 << 16)
def word(text: str, says: str, things: tuple[int, ...] = ()) -> Word:
    """The word ``text`` that says the aspects ``says`` (joined by "+") of ``things``."""
    return Word(text, tuple(Concept(aspect, things) for aspect in says.split("+")))


@lru_cache(maxsize=1 << 16)
def phrase(pattern: str, things: tuple[int, ...] = ()) -> tuple[Word, ...]:
    """Read a fixed phrase written as ``text:aspect`` for each word.

    >>> [word.text for word in phrase("left:where of:of", (0, 1))]
    ['left', 'of']
    """
    parts = (part.partition(":") for part in pattern.split())
    return tuple(word(text, says, things) for text, _, says in parts)


def merge(text: str, first: Word, second: Word) -> Word:
    """One word in place of two, saying what both said (de + le = du)."""
    return Word(text, first.concepts + second.concepts)


def align(source: Sentence, target: Sentence) -> frozenset[Link]:
    """The gold alignment: two words are linked when they say something in common."""
    said_at: dict[Concept, list[int]] = {}
    for place, said in enumerate(target.words):
        for concept in said.concepts:
            said_at.setdefault(concept, []).append(place)
    links = []
    for place, said in enumerate(source.words):
        for concept in said.concepts:
            for other in said_at.get(concept, ()):
                links.append(_link(place, other))
    return frozenset(links)


@lru_cache(maxsize=1 << 12)
def _link(source: int, target: int) -> Link:
    """Links are few and alike: sharing them keeps a corpus of alignments small."""
    return Link(source, target)
