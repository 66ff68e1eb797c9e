"""What making a corpus ready needs, whatever it is made of: chunks, a word now and then, a digest of what was made."""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

from saccade.errors import DataError

TOLD_SECONDS = 5.0
CHUNK = 2000  # examples encoded at once: enough to keep the tokenizer's threads busy, little memory

Item = TypeVar("Item")


class PartOnly(str):
    """A line which says that only a part of the data was looked at, so that who hears it can tell it from others."""

    __slots__ = ()


def told(items: Iterator[Item], what: str, unit: str, say: Callable[[str], None]) -> Iterator[Item]:
    """The items, and now and then a line about how many have gone by."""
    last = time.monotonic()
    for number, item in enumerate(items, start=1):
        yield item
        if number % CHUNK == 0 and time.monotonic() - last > TOLD_SECONDS:
            last = time.monotonic()
            say(f"{what} {number:,} {unit} so far")


def chunks(items: Iterator[Item], size: int | None = None) -> Iterator[Sequence[Item]]:
    """So many at once; without ``size``, as many as are encoded together."""
    while chunk := list(islice(items, size or CHUNK)):
        yield chunk


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_unchanged(path: Path, said: str) -> None:
    """Raises where a file is not the one that had this digest."""
    if not path.exists() or said != digest(path):
        raise DataError(f"{path} was changed or removed after it was written")
