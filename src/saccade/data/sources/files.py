"""Finding and opening a file, with every way this can go wrong said in the user's own words."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from saccade.data.sources.near import did_you_mean
from saccade.errors import DataError


@dataclass(frozen=True)
class SourceFile:
    """A file that was found: ``shown`` is how the user wrote it, ``path`` where it is."""

    shown: str
    path: Path

    @property
    def compressed(self) -> bool:
        return self.path.suffix.lower() == ".gz"

    def where(self, number: int) -> str:
        """The place of a line, row or record, counted from 1."""
        return f"{self.shown}:{number}"


def find_file(shown: str, base: Path) -> SourceFile:
    """The file ``shown`` seen from ``base``; it exists, is a file and holds at least one byte."""
    path = base / shown
    mode = _mode(shown, path)
    if mode is None:
        raise DataError(_missing(shown, path))
    refuse_folder(shown, base)
    if not S_ISREG(mode):
        raise DataError(f"{shown} is not a regular file: data is read more than once, write it to a file first")
    file = SourceFile(shown, path)
    with opened(file) as stream:
        if not stream.read(1):
            raise DataError(f"{shown} is empty: expected at least one line")
    return file


def refuse_folder(shown: str, base: Path) -> None:
    """A folder is an error of its own, whatever its name ends in."""
    mode = _mode(shown, base / shown)
    if mode is not None and S_ISDIR(mode):
        inside = Path(shown) / "train.{en,de}"
        raise DataError(f"{shown} is a folder: give a file, or two parallel files as {inside}")


@contextmanager
def opened(file: SourceFile) -> Iterator[BufferedIOBase]:
    """The bytes of the file, unpacked when its name ends in ``.gz``."""
    try:
        with gzip.open(file.path, "rb") if file.compressed else file.path.open("rb") as stream:
            yield stream
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{file.shown}: broken gzip file: {error}") from None
    except OSError as error:
        raise DataError(f"{file.shown}: cannot be read: {_reason(error)}") from None


def _mode(shown: str, path: Path) -> int | None:
    """What kind of thing the path is, ``None`` if there is nothing."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise DataError(f"{shown}: cannot be read: {_reason(error)}") from None


def _missing(shown: str, path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"{shown}: no such file: there is no folder {Path(shown).parent}"
    beside = str(Path(shown).parent / path.name).removesuffix(path.name)
    names = (entry.name for entry in folder.iterdir() if entry.is_file())
    near = did_you_mean(path.name, names, before=beside)
    return f"{shown}: no such file{near}"


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
