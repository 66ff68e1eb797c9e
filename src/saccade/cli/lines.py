"""Lines of text from a file or a pipe."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path


def lines_of(path: Path | None) -> Iterator[str]:
    """The lines of a file or of standard input; split at line feeds only, whatever else a text may hold."""
    from saccade.errors import DataError

    if path is not None and not path.is_file():
        raise DataError(f"{path}: no such file")
    with path.open("rb") if path else nullcontext(sys.stdin.buffer) as file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.decode("utf-8").removesuffix("\n").removesuffix("\r")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{path or 'standard input'}:{number}: not UTF-8 (byte 0x{line[error.start]:02x} at {error.start})"
                ) from error
