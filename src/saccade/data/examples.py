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
class Direction:
    """From which language into which; ``source`` is None where nobody said."""

    source: str | None
    target: str

    def __str__(self) -> str:
        return self.target if self.source is None else f"{self.source}-{self.target}"


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation; ``where`` is the place it was read from, for messages (``train.en:17``).

    ``direction`` is known where one model learns several of them.
    """

    source: str
    target: str
    where: str = ""
    alignment: frozenset[Link] | None = None
    direction: Direction | None = None

    @property
    def into(self) -> str | None:
        """The target's language, where it is known."""
        return None if self.direction is None else self.direction.target


@dataclass(frozen=True, slots=True)
class Document:
    """A text for itself; ``where`` is the place it was read from, for messages (``book.txt:17``)."""

    text: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, or two to be judged together, and what is said of it; ``where`` is its place (``train.tsv:17``).

    ``label`` is the name of a class, or a number written out; None where nobody has said it yet (a test set).
    """

    text: str
    second: str | None = None
    label: str | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Tagged:
    """The words of a sentence with a tag for each; ``where`` is the place of its first word (``train.txt:17``)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    where: str = ""
