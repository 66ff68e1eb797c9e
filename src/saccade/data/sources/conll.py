"""Tagged sentences in the way of CoNLL: a word and its tag on each line, a blank line between sentences."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from saccade.data.examples import Tagged
from saccade.data.sources.files import SourceFile, find_file
from saccade.data.sources.lines import lines
from saccade.data.sources.spec import FileSpec, parse_spec
from saccade.data.sources.tables import counted_columns
from saccade.errors import DataError

TagKind = Literal["entities", "plain"]

DOCUMENT_START = "-DOCSTART-"
OUTSIDE = "O"
ENTITY_TAG = re.compile(r"O|[BI]-(?:.+)")
HOW = "expected a word, then perhaps other columns, and its tag as the last, as in: Paris B-LOC"


@dataclass(frozen=True, slots=True)
class Line:
    """A word with its tag, and where they stand."""

    word: str
    tag: str
    where: str


def read_tagged(spec: str, *, tags: TagKind = "entities", base: Path | None = None) -> Iterator[Tagged]:
    """Read the sentences of a file, one at a time; its name may end in anything, also in ``.gz``.

    The first of the columns, between which stand spaces or tabs, is the word, the last its tag. ``-DOCSTART-`` lines
    only end a sentence. Tags of ``entities`` may be written as BIO or as IOB1 and are given as BIO; ``plain`` ones,
    such as parts of speech, are taken as they are.
    """
    parsed = parse_spec(spec)
    if not isinstance(parsed, FileSpec):
        raise DataError(f"{spec}: tagged sentences come from one file in the way of CoNLL, such as ner/train.txt")
    return _sentences(find_file(parsed.path, Path() if base is None else base), tags)


def to_bio(tags: Sequence[str]) -> tuple[str, ...]:
    """The same entities with a B- at the beginning of every one.

    In IOB1 an entity begins with I-, and with B- only right behind another of its type. An I- that goes on nothing
    begins an entity there as it does for conlleval, so that BIO comes out as it went in.
    """
    bio: list[str] = []
    before = OUTSIDE
    for tag in tags:
        begins = tag.startswith("I-") and before[2:] != tag[2:]
        bio.append(f"B-{tag[2:]}" if begins else tag)
        before = tag
    return tuple(bio)


def _sentences(file: SourceFile, tags: TagKind) -> Iterator[Tagged]:
    found = False
    together: list[Line] = []
    for line in _lines(file, tags):
        if line is not None:
            together.append(line)
        elif together:
            found = True
            yield _sentence(together, tags)
            together = []
    if together:
        yield _sentence(together, tags)
    elif not found:
        raise DataError(f"{file.shown}: no sentence found: {HOW}")


def _sentence(together: list[Line], tags: TagKind) -> Tagged:
    given = tuple(line.tag for line in together)
    words = tuple(line.word for line in together)
    return Tagged(words, to_bio(given) if tags == "entities" else given, together[0].where)


def _lines(file: SourceFile, tags: TagKind) -> Iterator[Line | None]:
    """The lines of the file, None for one that ends a sentence."""
    columns = 0
    for number, text in enumerate(lines(file), start=1):
        where = file.where(number)
        # Only these two: a no-break space may stand inside a word.
        cells = re.split(r"[ \t]+", text.strip(" \t"))
        if cells[0] in ("", DOCUMENT_START):
            yield None
            continue
        if len(cells) == 1:
            raise DataError(f"{where}: {counted_columns(1)}, {HOW}")
        columns = columns or len(cells)
        if len(cells) != columns:
            raise DataError(f"{where}: {counted_columns(len(cells))}, expected {columns} as in the lines before")
        if tags == "entities" and not ENTITY_TAG.fullmatch(cells[-1]):
            raise DataError(f'{where}: the tag is "{cells[-1]}": expected O, B-TYPE or I-TYPE, as in B-LOC')
        yield Line(cells[0], cells[-1], where)
