"""The rows of a table, of JSON lines or of Parquet, each as ``{column: value}`` with its place."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from saccade.data.sources.columns import Columns, choose
from saccade.data.sources.files import SourceFile
from saccade.data.sources.jsonl import json_object
from saccade.data.sources.lines import lines
from saccade.data.sources.parquet import parquet_records
from saccade.data.sources.tables import Row, counted_columns, csv_rows, tsv_rows
from saccade.errors import DataError


@dataclass(frozen=True, slots=True)
class Record:
    """One row; ``present`` are the names of its columns, one that is there twice named twice."""

    where: str
    present: list[str]
    fields: Mapping[str, object]


@dataclass(frozen=True)
class Asked:
    """What a file is read for, and what becomes of a row of a table that has not as many columns as the others."""

    columns: Columns
    needs_label: bool
    broken: Literal["refused", "left out"] = "refused"


RecordReader = Callable[[SourceFile, Asked, Counter[str]], Iterator[Record]]


def _tables(rows: Callable[[SourceFile], Iterator[Row]]) -> RecordReader:
    return lambda file, asked, skipped: _table_records(file, rows(file), asked, skipped)


def _table_records(file: SourceFile, rows: Iterator[Row], asked: Asked, skipped: Counter[str]) -> Iterator[Record]:
    header: list[str] | None = None
    for row in rows:
        where = file.where(row.line)
        if not row.cells:
            skipped["blank lines"] += 1
        elif header is None and not asked.columns.numbered:
            header = row.cells
            choose(asked.columns, header, where, needs_label=asked.needs_label)
        else:
            header = header or [str(number) for number in range(1, len(row.cells) + 1)]
            if len(row.cells) == len(header):
                yield Record(where, header, dict(zip(header, row.cells, strict=True)))
            elif asked.broken == "left out":
                skipped["broken rows"] += 1
            else:
                raise DataError(f"{where}: {counted_columns(len(row.cells))}, expected {len(header)}")


def _jsonl_records(file: SourceFile, _: Asked, skipped: Counter[str]) -> Iterator[Record]:
    for number, line in enumerate(lines(file), start=1):
        if line.strip():
            fields = json_object(line, file.where(number))
            yield Record(file.where(number), list(fields), fields)
        else:
            skipped["blank lines"] += 1


def _parquet_records(file: SourceFile, asked: Asked, _: Counter[str]) -> Iterator[Record]:
    def only_needed(present: list[str]) -> list[str]:
        return choose(asked.columns, present, file.shown, needs_label=asked.needs_label).names

    records = parquet_records(file, only_needed)
    return (Record(file.where(number), list(record), record) for number, record in enumerate(records, start=1))


RECORD_READERS: Mapping[str, RecordReader] = MappingProxyType(
    {".csv": _tables(csv_rows), ".jsonl": _jsonl_records, ".parquet": _parquet_records, ".tsv": _tables(tsv_rows)}
)
