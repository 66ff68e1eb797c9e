"""What a source yields: small frozen records, one for each kind of example."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """One edge of a word alignment: the word at ``source`` says what the word at ``target`` says (both from 0).

    Words are what ``str.split()`` gives.
    """

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation; ``where`` is the place it was read from, for messages (``train.en:17``)."""

    source: str
    target: str
    where: str = ""
    alignment: frozenset[Link] | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A text for itself; ``where`` is the place it was read from, for messages (``book.txt:17``)."""

    text: str
    where: str = ""
