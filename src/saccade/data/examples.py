"""What a source yields: small frozen records, one for each kind of example."""

from dataclasses import dataclass
from pathlib import Path


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


@dataclass(frozen=True, slots=True)
class PictureRef:
    """Where the bytes of a picture are; nothing is read before they are wanted.

    ``path`` is the picture's file, or a Parquet file that holds it in ``row`` (from 0) of ``column``. ``name`` is how a
    message calls it (``photos/a.jpg``, ``train.parquet:17``).
    """

    path: Path
    name: str
    row: int | None = None
    column: str | None = None

    @property
    def key(self) -> str:
        """The same text for the same picture, from whatever folder it is named: what a cache files it under."""
        whole = self.path.absolute().as_posix()
        return whole if self.row is None else f"{whole}#{self.column}:{self.row}"


@dataclass(frozen=True, slots=True)
class Captioned:
    """A picture and what people say of it; ``where`` is the place of the first caption (``captions.csv:2``)."""

    picture: PictureRef
    captions: tuple[str, ...]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Pictured:
    """A picture and the name of its class, None where nobody has said it yet (a test set)."""

    picture: PictureRef
    label: str | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle on a picture, in shares of its width and height from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class WordSpan:
    """The words ``first`` … ``end`` − 1 of a text, counted from 0; words are what ``str.split()`` gives."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Region:
    """What a phrase speaks of, seen in a box; a phrase that speaks of several things has a region for each.

    ``words`` are the phrase's in its caption, where that is known.
    """

    phrase: str
    box: Box
    words: WordSpan | None = None


@dataclass(frozen=True, slots=True)
class Grounded:
    """A caption with the regions of its phrases; ``file`` is the name of the picture's file (``a.jpg``)."""

    file: str
    caption: str
    regions: tuple[Region, ...]
    where: str = ""
