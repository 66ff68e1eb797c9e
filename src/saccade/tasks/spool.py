"""Pairs on disk as JSON lines: what was read and cleaned once, to be gone through as often as needed."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from saccade.data.examples import Direction, Link, Pair
from saccade.errors import DataError


class PairWriter:
    """Appends pairs to a new file; counts them."""

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

    def add(self, pair: Pair) -> None:
        links = None if pair.alignment is None else sorted((link.source, link.target) for link in pair.alignment)
        direction = [] if pair.direction is None else [[pair.direction.source, pair.direction.target]]
        row = [pair.source, pair.target, pair.where, links, *direction]
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self.count += 1


def read_spool(path: Path) -> Iterator[Pair]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                source, target, where, links, *direction = json.loads(line)
            except ValueError as error:
                raise DataError(f"{path} is damaged ({error})") from error
            alignment = None if links is None else frozenset(Link(*link) for link in links)
            yield Pair(source, target, where, alignment, Direction(*direction[0]) if direction else None)
