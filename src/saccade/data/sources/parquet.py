"""Parquet, read batch by batch through pyarrow (the extra ``[parquet]``)."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import Any

from saccade.data.examples import Pair
from saccade.data.sources.files import SourceFile, opened
from saccade.data.sources.wanted import NESTED, Wanted, missing_names, pair_of
from saccade.errors import DataError

BATCH_ROWS = 4096


def parquet_pairs(file: SourceFile, wanted: Wanted) -> Iterator[Pair]:
    records = parquet_records(file, lambda present: _columns(present, wanted, file))
    return (pair_of(record, wanted, file.where(number)) for number, record in enumerate(records, start=1))


def parquet_records(file: SourceFile, choose: Callable[[list[str]], list[str]]) -> Iterator[dict[str, object]]:
    """The rows as ``{column: value}``; ``choose`` says which of the columns present are read."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise DataError(f'{file.shown}: reading Parquet needs pyarrow: pip install "saccade[parquet]"') from None
    return _records(file, choose)


def _records(file: SourceFile, choose: Callable[[list[str]], list[str]]) -> Iterator[dict[str, object]]:
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        with _seekable(file) as stream:
            table = pyarrow.parquet.ParquetFile(stream)
            for batch in table.iter_batches(BATCH_ROWS, columns=choose(table.schema_arrow.names)):
                for record in batch.to_pylist():
                    number += 1
                    yield record
    except pyarrow.ArrowException as error:
        raise DataError(f"{file.shown}: broken Parquet after row {number:,}: {error}") from None


def _columns(present: list[str], wanted: Wanted, file: SourceFile) -> list[str]:
    """Only the columns that are needed: others may be large."""
    if wanted.names <= set(present):
        return sorted(wanted.names)
    if NESTED in present:
        return [NESTED]
    missing = [name for name in (wanted.source_name, wanted.target_name) if name not in present]
    raise DataError(missing_names(missing, present, file.shown))


@contextmanager
def _seekable(file: SourceFile) -> Iterator[Any]:
    """Parquet's directory stands at the end, so a compressed file is unpacked to a temporary one first."""
    with opened(file) as stream:
        if not file.compressed:
            yield stream
            return
        with TemporaryFile() as unpacked:
            shutil.copyfileobj(stream, unpacked)
            unpacked.seek(0)
            yield unpacked
