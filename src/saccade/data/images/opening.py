"""From a reference to the bytes of its picture, be it a file or a row of a Parquet file."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

from saccade.data.examples import PictureRef
from saccade.errors import DataError

BYTES_FIELD = "bytes"  # Hugging Face keeps a picture as {bytes, path}
DIGEST_BYTES = 16
OPEN_GROUPS = 2  # row groups held in memory: pictures are mostly asked for in their order


@dataclass(frozen=True, slots=True)
class Group:
    """One row group of one column; ``changed`` keeps a rewritten file from being answered out of memory."""

    path: Path
    changed: int
    column: str
    number: int


def opened_picture(ref: PictureRef) -> BinaryIO:
    """The encoded bytes of the picture, as a stream to be closed."""
    try:
        return ref.path.open("rb") if ref.row is None else BytesIO(_bytes_of(ref, ref.row))
    except OSError as error:
        raise DataError(f"{ref.name}: the picture cannot be read: {error.strerror or error}") from None


def picture_digest(ref: PictureRef) -> str:
    """A hash of the encoded bytes: the same for the same picture, under whatever name it lies."""
    with opened_picture(ref) as stream:
        return blake2b(stream.read(), digest_size=DIGEST_BYTES).hexdigest()


def _bytes_of(ref: PictureRef, row: int) -> bytes:
    try:
        import pyarrow
    except ImportError:
        raise DataError(f'{ref.name}: reading Parquet needs pyarrow: pip install "saccade[parquet]"') from None
    column = str(ref.column)
    changed = ref.path.stat().st_mtime_ns
    try:
        starts = _row_starts(ref.path, changed)
        if not 0 <= row < starts[-1]:
            raise DataError(f"{ref.name}: there is no such row: the file has {starts[-1]:,}; was it written anew?")
        number = bisect_right(starts, row) - 1
        value = _column(Group(ref.path, changed, column, number))[row - starts[number]].as_py()
    except (pyarrow.ArrowException, KeyError) as error:
        raise DataError(f"{ref.name}: broken Parquet: {error}") from None
    data = value.get(BYTES_FIELD) if isinstance(value, dict) else value
    if not isinstance(data, bytes):
        raise DataError(f'{ref.name}: "{column}" holds no bytes of a picture')
    return data


@lru_cache(maxsize=64)
def _row_starts(path: Path, changed: int) -> list[int]:  # noqa: ARG001 (part of what is remembered)
    """The first row of every row group, and how many rows there are in all."""
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_metadata(path)
    return [0, *accumulate(metadata.row_group(number).num_rows for number in range(metadata.num_row_groups))]


@lru_cache(maxsize=OPEN_GROUPS)
def _column(group: Group) -> Any:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(group.path) as file:
        return file.read_row_group(group.number, columns=[group.column]).column(group.column)
