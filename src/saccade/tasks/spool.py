"""Examples on disk as JSON lines: what was read and cleaned once, to be gone through as often as needed."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from saccade.data.examples import Box, Direction, Document, Labelled, Link, Pair, PictureRef, Tagged
from saccade.errors import DataError

Example = TypeVar("Example")


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture by its name, its file where it is read from there; its captions, and the boxes to be painted over.

    ``boxes`` are, for each word, those of what it speaks of, where a captioner is shown them.
    """

    name: str
    captions: tuple[str, ...]
    picture: PictureRef | None = None
    hidden: tuple[Box, ...] = ()
    boxes: Mapping[str, tuple[Box, ...]] = field(default_factory=dict)


class Writer(ABC, Generic[Example]):
    """Appends examples to a new file; counts them."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self.count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    @abstractmethod
    def add(self, one: Example, /) -> None:
        """Appends one."""

    def _write(self, record: list[Any]) -> None:
        self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.count += 1


class PairWriter(Writer[Pair]):
    def add(self, pair: Pair, /) -> None:
        links = None if pair.alignment is None else sorted((link.source, link.target) for link in pair.alignment)
        direction = [] if pair.direction is None else [[pair.direction.source, pair.direction.target]]
        self._write([pair.source, pair.target, pair.where, links, *direction])


class DocumentWriter(Writer[Document]):
    def add(self, document: Document, /) -> None:
        self._write([document.text, document.where])


class LabelledWriter(Writer[Labelled | Tagged]):
    def add(self, example: Labelled | Tagged, /) -> None:
        if isinstance(example, Tagged):
            self._write([example.words, example.tags, example.where])
        else:
            self._write([example.text, example.second, example.label, example.where])


class ShownWriter(Writer[Shown]):
    def add(self, shown: Shown, /) -> None:
        ref = shown.picture
        file = None if ref is None else [str(ref.path.absolute()), ref.name, ref.row, ref.column]
        boxes = {word: _plain(boxes) for word, boxes in shown.boxes.items()}
        self._write([shown.name, shown.captions, file, _plain(shown.hidden), *([boxes] if boxes else [])])


def read_spool(path: Path) -> Iterator[Pair]:
    for source, target, where, links, *direction in _records(path, fields=(4, 5)):
        alignment = None if links is None else frozenset(Link(*link) for link in links)
        yield Pair(source, target, where, alignment, Direction(*direction[0]) if direction else None)


def read_document_spool(path: Path) -> Iterator[Document]:
    for text, where in _records(path, fields=(2,)):
        yield Document(text, where)


def read_labelled_spool(path: Path) -> Iterator[Labelled | Tagged]:
    for first, second, *rest in _records(path, fields=(3, 4)):
        yield Tagged(tuple(first), tuple(second), *rest) if len(rest) == 1 else Labelled(first, second, *rest)


def read_shown_spool(path: Path) -> Iterator[Shown]:
    for name, captions, file, hidden, *known in _records(path, fields=(4, 5)):
        ref = None if file is None else PictureRef(Path(file[0]), *file[1:])
        boxes = {word: _boxes(of_word) for word, of_word in known[0].items()} if known else {}
        yield Shown(name, tuple(captions), ref, _boxes(hidden), boxes)


def _plain(boxes: Sequence[Box]) -> list[list[float]]:
    return [[box.left, box.top, box.right, box.bottom] for box in boxes]


def _boxes(plain: Sequence[Sequence[float]]) -> tuple[Box, ...]:
    return tuple(Box(*box) for box in plain)


def _records(path: Path, *, fields: tuple[int, ...]) -> Iterator[list[Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError as error:
                raise DataError(f"{path} is damaged ({error})") from error
            if not isinstance(record, list) or len(record) not in fields:
                raise DataError(f"{path} is damaged (a line has another number of fields than it should)")
            yield record
