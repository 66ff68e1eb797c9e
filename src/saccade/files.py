"""Files that are either whole or not there: written beside their place, fsynced, then renamed into it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from saccade.errors import RunError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A new place to write to: when the block ends well it becomes ``path``, otherwise ``path`` stays as it was."""
    new = path.with_name(f"{path.name}.new")
    try:
        yield new
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        new.replace(path)
        sync_folder(path.parent)
    except BaseException as error:
        new.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise RunError(f"{path} could not be written ({error}); what was saved before is untouched") from error


def write_text(path: Path, text: str) -> None:
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


def sync_folder(folder: Path) -> None:
    """Makes new names last through a power cut; only POSIX systems open folders for this."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
