"""What a Parquet file with pictures says of itself: its columns, how it keeps pictures, the names of its classes."""

import json
from dataclasses import dataclass
from typing import Any

from saccade.data.images.opening import BYTES_FIELD
from saccade.data.sources.files import SourceFile
from saccade.errors import DataError


@dataclass(frozen=True)
class ParquetLayout:
    """The columns of a file, how many rows it has, and pyarrow's schema of it."""

    names: list[str]
    rows: int
    schema: Any


def parquet_layout(file: SourceFile) -> ParquetLayout:
    """Read the directory of the file, no row of it."""
    if file.compressed:
        raise DataError(f"{file.shown}: pictures are fetched one by one, which a packed file forbids: unpack it first")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise DataError(f'{file.shown}: reading Parquet needs pyarrow: pip install "saccade[parquet]"') from None
    try:
        with pyarrow.parquet.ParquetFile(file.path) as table:
            return ParquetLayout(table.schema_arrow.names, table.metadata.num_rows, table.schema_arrow)
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"{file.shown}: broken Parquet: {error}") from None


def bytes_column(layout: ParquetLayout, name: str, file: SourceFile) -> bool:
    """Whether the column holds pictures, as bytes or as ``{bytes, path}``; or else the paths of pictures."""
    from pyarrow import types

    kind = layout.schema.field(name).type
    if types.is_string(kind) or types.is_large_string(kind):
        return False
    if types.is_struct(kind) and kind.get_field_index(BYTES_FIELD) >= 0:
        kind = kind.field(BYTES_FIELD).type
    if types.is_binary(kind) or types.is_large_binary(kind):
        return True
    raise DataError(
        f'{file.shown}: the column "{name}" is of the type {kind}: expected the bytes of pictures, a struct with '
        f'"{BYTES_FIELD}", or the paths of pictures'
    )


def class_names(layout: ParquetLayout, column: str) -> list[str] | None:
    """The names that Hugging Face's data sets write into the file for the numbers of a column of classes."""
    written = (layout.schema.metadata or {}).get(b"huggingface")
    try:
        names = json.loads(written)["info"]["features"][column]["names"] if written else None
    except (ValueError, KeyError, TypeError):
        return None
    return names if isinstance(names, list) and all(isinstance(name, str) for name in names) else None
