"""Tables: ``.tsv`` (no quoting, as corpora are written) and ``.csv`` (quoted, as spreadsheets write)."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from saccade.data.examples import Pair
from saccade.data.sources.files import SourceFile
from saccade.data.sources.lines import lines
from saccade.data.sources.wanted import Wanted, missing_names
from saccade.errors import DataError


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one row and the line it begins on; a blank line has no cells."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class Layout:
    """How many columns every row must have, and in which the two texts stand."""

    columns: int
    source: int
    target: int


HEADERLESS = Layout(columns=2, source=0, target=1)


def tsv_pairs(file: SourceFile, wanted: Wanted) -> Iterator[Pair]:
    return _table_pairs(file, tsv_rows(file), wanted)


def csv_pairs(file: SourceFile, wanted: Wanted) -> Iterator[Pair]:
    return _table_pairs(file, csv_rows(file), wanted)


def tsv_rows(file: SourceFile) -> Iterator[Row]:
    for number, line in enumerate(lines(file), start=1):
        yield Row(number, line.split("\t") if line else [])


def csv_rows(file: SourceFile) -> Iterator[Row]:
    reader = csv.reader(lines(file, endings="kept"), strict=True)
    while True:
        begins = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError(f"{file.where(begins)}: broken CSV: {error} (is a quote not closed?)") from None
        yield Row(begins, cells)


def _table_pairs(file: SourceFile, rows: Iterator[Row], wanted: Wanted) -> Iterator[Pair]:
    """The pairs of a table; a blank line is a blank pair, so that whoever cleans can count and place it."""
    layout: Layout | None = None
    for row in rows:
        where = file.where(row.line)
        if not row.cells:
            yield Pair("", "", where)
            continue
        if layout is None:
            layout = _layout(row.cells, wanted, where)
            if layout is not HEADERLESS:
                continue
        if len(row.cells) != layout.columns:
            raise DataError(f"{where}: {counted_columns(len(row.cells))}, expected {layout.columns}")
        yield Pair(row.cells[layout.source], row.cells[layout.target], where)


def _layout(first: list[str], wanted: Wanted, where: str) -> Layout:
    """The first row is a header if it holds both names; without one, a table must have exactly two columns."""
    missing = [name for name in (wanted.source_name, wanted.target_name) if name not in first]
    if not missing:
        return Layout(len(first), first.index(wanted.source_name), first.index(wanted.target_name))
    if len(first) == HEADERLESS.columns and len(missing) == HEADERLESS.columns:
        return HEADERLESS
    if len(first) < HEADERLESS.columns:
        raise DataError(f"{where}: {counted_columns(len(first))}, expected {HEADERLESS.columns}")
    shown = [cell[:40] for cell in first]
    raise DataError(f"{missing_names(missing, shown, where)}; without a header the table must have exactly two columns")


def counted_columns(count: int) -> str:
    """``1 column``, ``3 columns``, for messages."""
    return f"{count} column" if count == 1 else f"{count} columns"
