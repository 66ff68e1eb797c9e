"""Decoded pictures of one size on disk, memory-mapped: written once, then trained on without decoding anything.

A store ``stem`` is two files:

- ``stem.pixels``: the pictures one after another, each size × size × 3 bytes, row by row: red, green, blue;
- ``stem.json``: version, size, count and fingerprint, written last: where it is, the store is whole.

Shapes: B pictures of a batch, S size.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from saccade.data.images.reading import Pixels
from saccade.errors import DataError
from saccade.files import write_text

VERSION = 1
CHANNELS = 3
_BUFFER = 1 << 20
_AGAIN = "delete the two files of this store (.pixels, .json) and write it again"


class PictureWriter:
    """Writes pictures as they come, in constant memory::

        with PictureWriter(folder / "train", size=32) as writer:
            for example in examples:
                writer.append(read_picture(example.picture, size=32))

    The files appear under their names only when the block ends well; after an error nothing is left. ``made_from`` is
    noted in ``stem.json``, for a caller that wants to know later what the store was made from.
    """

    def __init__(self, stem: str | Path, *, size: int, made_from: str = "") -> None:
        self.stem = Path(stem)
        self.size = size
        self.made_from = made_from
        self.count = 0
        self._digest = hashlib.sha256()
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        self.stem.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._partial.open("wb", buffering=_BUFFER)
        return self

    def append(self, picture_SS3: Pixels) -> None:
        """Write one picture."""
        expected = (self.size, self.size, CHANNELS)
        if picture_SS3.shape != expected or picture_SS3.dtype != np.uint8:
            raise DataError(
                f"{self.stem}: picture {self.count:,} is {picture_SS3.dtype} of the shape {picture_SS3.shape}: "
                f"expected uint8 of the shape {expected}; read it with size={self.size}"
            )
        if self._file is None:
            raise ValueError("a PictureWriter writes inside its with block")
        data = picture_SS3.tobytes()
        self._file.write(data)
        self._digest.update(data)
        self.count += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is None:
            return
        if kind is None:
            self._file.flush()
            os.fsync(self._file.fileno())
        self._file.close()
        if kind is not None:
            self._partial.unlink()
            return
        description = {
            "version": VERSION,
            "size": self.size,
            "count": self.count,
            "fingerprint": self._digest.hexdigest(),
            "made_from": self.made_from,
        }
        # The old description goes first and the new one comes last: it never stands beside another store's pictures.
        _named(self.stem, "json").unlink(missing_ok=True)
        self._partial.replace(_named(self.stem, "pixels"))
        write_text(_named(self.stem, "json"), json.dumps(description, indent=2))

    @property
    def _partial(self) -> Path:
        return _named(self.stem, "pixels.partial")


class Pictures:
    """A store of pictures: ``len(pictures)``, ``pictures[i]`` (a view into the file), ``pictures.batch([3, 1, 4])``."""

    def __init__(self, stem: Path, description: dict[str, Any], pixels_BSS3: Pixels) -> None:
        self.stem = stem
        self.size: int = description["size"]
        self.fingerprint: str = description["fingerprint"]
        self.made_from: str = description["made_from"]
        self._pixels_BSS3 = pixels_BSS3

    @classmethod
    def open(cls, stem: str | Path) -> Self:
        """Map the file into memory and check that it is whole."""
        stem = Path(stem)
        description = _description(stem)
        shape = (description["count"], description["size"], description["size"], CHANNELS)
        return cls(stem, description, _mapped(stem, shape))

    def verify(self) -> None:
        """Read everything once and compare with the fingerprint taken when the store was written."""
        with _named(self.stem, "pixels").open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != self.fingerprint:
            raise DataError(f"{self.stem}: the pictures were changed after they were written; {_AGAIN}")

    def __len__(self) -> int:
        return len(self._pixels_BSS3)

    def __getitem__(self, i: int) -> Pixels:
        if not 0 <= i < len(self):
            raise IndexError(f"picture {i:,} of {len(self):,} in {self.stem}")
        picture_SS3: Pixels = self._pixels_BSS3[i]
        return picture_SS3

    def batch(self, numbers: Sequence[int] | npt.NDArray[np.integer[Any]]) -> Pixels:
        """The pictures of those numbers, in that order, as one array of its own, (B, S, S, 3)."""
        wanted = np.asarray(numbers, dtype=np.int64)
        if wanted.size and not (wanted.min() >= 0 and wanted.max() < len(self)):
            raise IndexError(f"pictures {wanted.min():,} to {wanted.max():,} of {len(self):,} in {self.stem}")
        pictures_BSS3: Pixels = self._pixels_BSS3[wanted]
        return pictures_BSS3


def _named(stem: Path, suffix: str) -> Path:
    return stem.with_name(f"{stem.name}.{suffix}")


def _description(stem: Path) -> dict[str, Any]:
    path = _named(stem, "json")
    try:
        description: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"{path}: not there, so these pictures were never written to the end; write them again"
        ) from None
    except ValueError as error:
        raise DataError(f"{path}: not readable as JSON ({error}); {_AGAIN}") from None
    version = description.get("version") if isinstance(description, dict) else None
    if not isinstance(description, dict) or version != VERSION:
        raise DataError(f"{path}: version {version}, this program reads version {VERSION}; {_AGAIN}")
    if missing := {"size", "count", "fingerprint", "made_from"} - description.keys():
        raise DataError(f"{path}: lacks {', '.join(sorted(missing))}; {_AGAIN}")
    return description


def _mapped(stem: Path, shape: tuple[int, int, int, int]) -> Pixels:
    path = _named(stem, "pixels")
    if not path.exists():
        raise DataError(f"{path}: not there, though {_named(stem, 'json').name} is; {_AGAIN}")
    count, size, _, channels = shape
    expected, found = count * size * size * channels, path.stat().st_size
    if found != expected:
        raise DataError(f"{path}: {found:,} bytes, expected {expected:,}: the file is cut or mixed up; {_AGAIN}")
    if expected == 0:  # an empty file cannot be mapped
        return np.zeros(shape, np.uint8)
    return np.asarray(np.memmap(path, dtype=np.uint8, mode="r", shape=shape))
