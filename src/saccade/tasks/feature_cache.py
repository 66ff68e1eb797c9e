"""Features of pictures on disk, memory-mapped: found once for each picture and kept for all runs.

A cache is a folder of two files that grow together:

- ``grid.f16``: a row for each picture, G × C numbers, little-endian ``float16``;
- ``index.txt``: a line for each row, its key, written after the row: what is there is whole.

A process that is killed loses the rows it had not yet named, no others. Readers change nothing: what a writer is in the
middle of is not yet theirs.

Shapes: B pictures, G places of the grid, C width of their vectors.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from saccade.errors import DataError

HALF = np.dtype("<f2")
Grids = npt.NDArray[np.float16]


class FeatureCache:
    """``cache.rows(keys)``, ``cache.batch(rows)``; ``with cache.writing(): cache.append(keys, grids)``."""

    def __init__(self, folder: Path, *, places: int, channels: int) -> None:
        self.folder = folder
        self.shape = (places, channels)
        self._row_bytes = places * channels * HALF.itemsize
        folder.mkdir(parents=True, exist_ok=True)
        self._refresh()

    def missing(self, keys: Sequence[str]) -> list[int]:
        """The places in ``keys`` of those that have no row yet."""
        return [place for place, key in enumerate(keys) if key not in self._row_of]

    def rows(self, keys: Sequence[str]) -> npt.NDArray[np.int64]:
        """The row of each key."""
        try:
            return np.array([self._row_of[key] for key in keys], dtype=np.int64)
        except KeyError:
            raise DataError(
                f"{self.folder} lacks the features of {len(self.missing(keys)):,} pictures: they were changed after "
                "they had been looked at; give the command again"
            ) from None

    def batch(self, rows: npt.NDArray[np.int64]) -> Grids:
        """(B, G, C), an array of its own."""
        grids_BGC: Grids = self._grids_NGC[rows]
        return grids_BGC

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One writer at a time; a second one waits, and then finds what the first has written."""
        with (self.folder / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.truncate(self._index, len(self._named()))  # a last line that was cut when its writer was killed
            self._refresh()
            yield
            self._refresh()

    def append(self, keys: Sequence[str], grids_BGC: Grids) -> None:
        """New rows, in the block of ``writing``."""
        if grids_BGC.shape != (len(keys), *self.shape):
            raise DataError(f"features of the shape {grids_BGC.shape} for {len(keys)} rows of {self.shape}")
        with self._grid.open("ab") as file:
            file.truncate(self._count * self._row_bytes)  # rows that a killed process did not name
            file.write(np.ascontiguousarray(grids_BGC, dtype=HALF).tobytes())
            file.flush()
            os.fsync(file.fileno())
        with self._index.open("a", encoding="utf-8") as file:
            file.writelines(f"{key}\n" for key in keys)
        self._row_of |= {key: row for row, key in enumerate(keys, start=self._count)}
        self._count += len(keys)

    @property
    def _grid(self) -> Path:
        return self.folder / "grid.f16"

    @property
    def _index(self) -> Path:
        return self.folder / "index.txt"

    def _refresh(self) -> None:
        self._grid.touch()
        self._index.touch()
        keys = self._named().decode().splitlines()
        if self._grid.stat().st_size < len(keys) * self._row_bytes:
            raise DataError(f"{self._grid} is shorter than {self._index} says: delete {self.folder}; it is made anew")
        self._row_of = {key: row for row, key in enumerate(keys)}
        self._count = len(keys)
        self._grids_NGC = (
            np.memmap(self._grid, dtype=HALF, mode="r", shape=(len(keys), *self.shape))
            if keys
            else np.zeros((0, *self.shape), HALF)
        )

    def _named(self) -> bytes:
        """The whole lines of the index."""
        text = self._index.read_bytes()
        return text[: text.rfind(b"\n") + 1]
