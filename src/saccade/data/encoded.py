"""Encoded corpora on disk, memory-mapped: a corpus larger than memory is written and read as a stream.

A corpus ``stem`` is three files:

- ``stem.tokens``: the ids of all sequences one after another, little-endian ``uint16`` (``uint32`` for a vocabulary
  of more than 65,536);
- ``stem.index``: ``count + 1`` little-endian ``int64``; sequence ``i`` is ``tokens[index[i]:index[i + 1]]``;
- ``stem.json``: version, dtype, counts and fingerprint, written last: where it is, the corpus is whole.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from saccade.errors import DataError
from saccade.files import sync_folder

VERSION = 1
_DTYPES: dict[str, np.dtype[Any]] = {"uint16": np.dtype("<u2"), "uint32": np.dtype("<u4")}
_INDEX = np.dtype("<i8")
_BUFFER = 1 << 20

Ids = npt.NDArray[np.integer[Any]]


class SequenceWriter:
    """Writes sequences of ids as they come, in constant memory::

        with SequenceWriter(folder / "train.source", tokenizer.vocab_size) as writer:
            for texts in batches_of_texts:
                writer.extend(tokenizer.encode_batch(texts))

    The files appear under their names only when the block ends well; after an error nothing is left. ``made_from`` is
    noted in ``stem.json``, for a caller that wants to know later what the corpus was made from.
    """

    def __init__(self, stem: str | Path, vocab_size: int, *, made_from: str = "") -> None:
        self.stem = Path(stem)
        self.vocab_size = vocab_size
        self.made_from = made_from
        self.count = 0
        self.tokens = 0
        self._dtype = "uint16" if vocab_size <= 1 << 16 else "uint32"
        self._digests = {"tokens": hashlib.sha256(), "index": hashlib.sha256()}
        self._files: dict[str, BinaryIO] = {}

    def __enter__(self) -> Self:
        self.stem.parent.mkdir(parents=True, exist_ok=True)
        for suffix in self._digests:
            self._files[suffix] = _partial(self.stem, suffix).open("wb", buffering=_BUFFER)
        self._write("index", np.zeros(1, _INDEX))
        return self

    def append(self, ids: Sequence[int] | Ids) -> None:
        """Write one sequence."""
        self.extend([ids])

    def extend(self, batch: Sequence[Sequence[int] | Ids]) -> None:
        """Write many sequences: the quick way."""
        if not batch:
            return
        arrays = [np.asarray(ids, dtype=np.int64) for ids in batch]
        tokens = np.concatenate(arrays)
        if tokens.size and not (tokens.min() >= 0 and tokens.max() < self.vocab_size):
            wrong = int(tokens[(tokens < 0) | (tokens >= self.vocab_size)][0])
            raise DataError(
                f"{self.stem}: id {wrong:,} is not in a vocabulary of {self.vocab_size:,}; "
                "encode with the tokenizer whose size was given"
            )
        ends = self.tokens + np.cumsum([array.size for array in arrays])
        self._write("tokens", tokens.astype(_DTYPES[self._dtype]))
        self._write("index", ends.astype(_INDEX))
        self.count += len(arrays)
        self.tokens += tokens.size

    def _write(self, suffix: str, numbers: Ids) -> None:
        data = numbers.tobytes()
        self._files[suffix].write(data)
        self._digests[suffix].update(data)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for file in self._files.values():
            if kind is None:
                file.flush()
                os.fsync(file.fileno())
            file.close()
        if kind is None:
            self._finish()
        else:
            for suffix in self._files:
                _partial(self.stem, suffix).unlink()

    def _finish(self) -> None:
        description = {
            "version": VERSION,
            "dtype": self._dtype,
            "vocab_size": self.vocab_size,
            "count": self.count,
            "tokens": self.tokens,
            "fingerprint": _fingerprint(self._dtype, [digest.hexdigest() for digest in self._digests.values()]),
            "made_from": self.made_from,
        }
        with _partial(self.stem, "json").open("w", encoding="utf-8") as file:
            json.dump(description, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        # The old description goes first and the new one comes last: it never stands beside another corpus's files.
        _named(self.stem, "json").unlink(missing_ok=True)
        for suffix in ("tokens", "index", "json"):
            _partial(self.stem, suffix).replace(_named(self.stem, suffix))
        sync_folder(self.stem.parent)


class Sequences:
    """An encoded corpus: ``len(sequences)``, ``sequences[i]`` (a view into the file), ``sequences.lengths``."""

    def __init__(self, stem: Path, description: dict[str, Any], index: Ids, tokens: Ids) -> None:
        self.stem = stem
        self.vocab_size: int = description["vocab_size"]
        self.fingerprint: str = description["fingerprint"]
        self.made_from: str = description["made_from"]
        self.lengths: npt.NDArray[np.int64] = np.diff(index)
        self._dtype: str = description["dtype"]
        self._index = index
        self._tokens = tokens

    @classmethod
    def open(cls, stem: str | Path) -> Self:
        """Map the files into memory and check that they are whole and belong together."""
        stem = Path(stem)
        description = _description(stem)
        tokens = _mapped(stem, "tokens", _DTYPES[description["dtype"]], description["tokens"])
        index = _mapped(stem, "index", _INDEX, description["count"] + 1)
        sequences = cls(stem, description, index, tokens)
        if index[0] != 0 or index[-1] != len(tokens) or (sequences.lengths.size and sequences.lengths.min() < 0):
            raise DataError(f"{_named(stem, 'index')} does not fit {_named(stem, 'tokens')}: {_AGAIN}")
        return sequences

    def verify(self) -> None:
        """Read everything once and compare with the fingerprint taken when the corpus was written."""
        digests: list[str] = []
        for suffix in ("tokens", "index"):
            with _named(self.stem, suffix).open("rb") as file:
                digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        if _fingerprint(self._dtype, digests) != self.fingerprint:
            raise DataError(f"{self.stem}: the files were changed after they were written; {_AGAIN}")

    @property
    def tokens(self) -> int:
        """How many ids there are in all."""
        return len(self._tokens)

    def __len__(self) -> int:
        return len(self._index) - 1

    def __getitem__(self, i: int) -> Ids:
        if not 0 <= i < len(self):
            raise IndexError(f"sequence {i:,} of {len(self):,} in {self.stem}")
        return self._tokens[self._index[i] : self._index[i + 1]]

    def between(self, start: int, end: int) -> Ids:
        """The ids ``start`` … ``end`` − 1 of all sequences one after another (a view into the file)."""
        if not 0 <= start <= end <= self.tokens:
            raise IndexError(f"ids {start:,} to {end:,} of {self.tokens:,} in {self.stem}")
        return self._tokens[start:end]

    def all(self) -> Ids:
        """The ids of all sequences, one after another."""
        return self._tokens

    def __iter__(self) -> Iterator[Ids]:
        return (self[i] for i in range(len(self)))


_AGAIN = "delete the three files of this corpus (.tokens, .index, .json) and encode again"


def _named(stem: Path, suffix: str) -> Path:
    return stem.with_name(f"{stem.name}.{suffix}")


def _partial(stem: Path, suffix: str) -> Path:
    return _named(stem, f"{suffix}.partial")


def _fingerprint(dtype: str, digests: Sequence[str]) -> str:
    return hashlib.sha256(" ".join([dtype, *digests]).encode()).hexdigest()


def _description(stem: Path) -> dict[str, Any]:
    path = _named(stem, "json")
    try:
        description: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"{path}: not there, so this corpus was never encoded to the end; encode it again") from error
    except ValueError as error:
        raise DataError(f"{path}: not readable as JSON ({error}); {_AGAIN}") from error
    version = description.get("version") if isinstance(description, dict) else None
    if not isinstance(description, dict) or version != VERSION:
        raise DataError(f"{path}: version {version}, this program reads version {VERSION}; {_AGAIN}")
    missing = {"dtype", "vocab_size", "count", "tokens", "fingerprint", "made_from"} - description.keys()
    if missing or description["dtype"] not in _DTYPES:
        what = f"lacks {', '.join(sorted(missing))}" if missing else f"unknown dtype {description['dtype']!r}"
        raise DataError(f"{path}: {what}; {_AGAIN}")
    return description


def _mapped(stem: Path, suffix: str, dtype: np.dtype[Any], count: int) -> Ids:
    path = _named(stem, suffix)
    if not path.exists():
        raise DataError(f"{path}: not there, though {_named(stem, 'json').name} is; {_AGAIN}")
    expected, found = count * dtype.itemsize, path.stat().st_size
    if found != expected:
        raise DataError(f"{path}: {found:,} bytes, expected {expected:,}: the file is cut or mixed up; {_AGAIN}")
    if count == 0:  # an empty file cannot be mapped
        return np.zeros(0, dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))
