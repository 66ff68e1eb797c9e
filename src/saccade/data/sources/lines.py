"""Lines of a text file, counted as ``wc -l`` counts them.

A line ends at ``\\n`` and nowhere else: U+2028, U+0085 or a vertical tab inside a sentence would otherwise shift
every later line of one file of a parallel corpus against the other.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Literal

from saccade.data.sources.files import SourceFile, opened
from saccade.errors import DataError

CHUNK_BYTES = 1 << 20


def lines(file: SourceFile, *, endings: Literal["stripped", "kept"] = "stripped") -> Iterator[str]:
    """Each line as text; stripped of ``\\n`` and of one ``\\r`` before it, unless the endings are to be kept.

    A byte order mark at the beginning of the file is dropped. Bytes that are not UTF-8 and NUL are refused.
    """
    with opened(file) as stream:
        for number, raw in enumerate(stream, start=1):
            dropped = len(BOM_UTF8) if number == 1 and raw.startswith(BOM_UTF8) else 0
            text = _decoded(raw[dropped:], file.where(number), dropped)
            yield text if endings == "kept" else text.removesuffix("\n").removesuffix("\r")


def count_lines(file: SourceFile) -> int:
    """How many lines the file has; a last line without ``\\n`` counts."""
    count = 0
    last = b"\n"
    with opened(file) as stream:
        while chunk := stream.read(CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")


def _decoded(raw: bytes, where: str, dropped: int) -> str:
    if b"\0" in raw:
        raise DataError(
            f"{where}: holds a NUL byte: this is not a text file, or it is damaged (or UTF-16: save as UTF-8)"
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where}: not UTF-8: byte 0x{raw[error.start]:02x} at byte offset {error.start + dropped} of the line "
            f"({error.reason}); save the file as UTF-8"
        ) from None
