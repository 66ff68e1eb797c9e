"""The lines of a table, of JSON lines or of Parquet: a picture and what is said of it; no picture is opened."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from saccade.data.examples import PictureRef
from saccade.data.sources.files import SourceFile
from saccade.data.sources.jsonl import json_object
from saccade.data.sources.lines import lines
from saccade.data.sources.near import did_you_mean
from saccade.data.sources.parquet import parquet_records
from saccade.data.sources.picture_columns import PictureChosen, PictureColumns, PictureWanted, choose_picture
from saccade.data.sources.picture_parquet import bytes_column, parquet_layout
from saccade.data.sources.records import Record
from saccade.data.sources.tables import Row, counted_columns, csv_rows, tsv_rows
from saccade.data.sources.wanted import checked_text
from saccade.errors import DataError


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A picture and the caption or label as the file has it, None where it has none."""

    picture: PictureRef
    said: object
    where: str


LineReader = Callable[[SourceFile, PictureWanted], Iterator[PictureLine]]


def line_reader(path: str, folder: Path, what: str, known: str) -> LineReader:
    """The reader for a file of that name; ``what`` it is read for and what is ``known`` are for messages."""
    name = Path(path)
    ending = (name.with_suffix("") if name.suffix.lower() == ".gz" else name).suffix.lower()
    if ending not in LINE_READERS:
        if (folder / path).is_dir():
            raise DataError(f"{path}: this folder holds nothing that is known for {what}; {known}")
        given = f'kind of file "{ending}"' if ending else "kind of file (its name has no ending)"
        raise DataError(f"{path}: unknown {given} for {what}{did_you_mean(ending, LINE_READERS)}; {known}")
    return LINE_READERS[ending]


def beside(file: SourceFile, value: object, column: str, where: str) -> PictureRef:
    """The picture of that path, seen from the folder of the file that names it."""
    shown = checked_text(value, column, where).strip()
    if not shown:
        raise DataError(f'{where}: "{column}" is empty: expected the path of a picture')
    return PictureRef(file.path.parent / shown, str(Path(file.shown).parent / shown))


def _of_records(file: SourceFile, records: Iterator[Record], wanted: PictureWanted) -> Iterator[PictureLine]:
    chosen: PictureChosen | None = None
    present: list[str] = []
    for record in records:
        if chosen is None or record.present != present:
            present = record.present
            chosen = choose_picture(wanted, present, record.where)
            # What the first record settled is kept.
            wanted = replace(wanted, columns=PictureColumns(chosen.picture, chosen.said))
        picture = beside(file, record.fields[chosen.picture], chosen.picture, record.where)
        yield PictureLine(picture, None if chosen.said is None else record.fields[chosen.said], record.where)


def _table_records(file: SourceFile, rows: Iterator[Row]) -> Iterator[Record]:
    header: list[str] | None = None
    for row in rows:
        if not row.cells:
            continue
        if header is None:
            header = row.cells
            continue
        if len(row.cells) != len(header):
            raise DataError(f"{file.where(row.line)}: {counted_columns(len(row.cells))}, expected {len(header)}")
        yield Record(file.where(row.line), header, dict(zip(header, row.cells, strict=True)))


def _json_records(file: SourceFile) -> Iterator[Record]:
    for number, line in enumerate(lines(file), start=1):
        if line.strip():
            fields = json_object(line, file.where(number))
            yield Record(file.where(number), list(fields), fields)


def _parquet_lines(file: SourceFile, wanted: PictureWanted) -> Iterator[PictureLine]:
    layout = parquet_layout(file)
    chosen = choose_picture(wanted, layout.names, file.shown)
    if not bytes_column(layout, chosen.picture, file):
        names = [name for name in (chosen.picture, chosen.said) if name is not None]
        records = enumerate(parquet_records(file, lambda _: names), start=1)
        rows = (Record(file.where(number), list(fields), fields) for number, fields in records)
        yield from _of_records(file, rows, wanted)
        return
    said = [None] * layout.rows if chosen.said is None else _column(file, chosen.said)
    for row, value in enumerate(said):
        where = file.where(row + 1)
        yield PictureLine(PictureRef(file.path, where, row, chosen.picture), value, where)


def _column(file: SourceFile, name: str) -> Iterator[object]:
    return (record[name] for record in parquet_records(file, lambda _: [name]))


LINE_READERS: Mapping[str, LineReader] = MappingProxyType(
    {
        ".csv": lambda file, wanted: _of_records(file, _table_records(file, csv_rows(file)), wanted),
        ".jsonl": lambda file, wanted: _of_records(file, _json_records(file), wanted),
        ".parquet": _parquet_lines,
        ".tsv": lambda file, wanted: _of_records(file, _table_records(file, tsv_rows(file)), wanted),
    }
)
