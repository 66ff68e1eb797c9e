"""Vectors on disk: Parquet and JSON lines with the texts beside them, or arrays by name in one .npz."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import DataError
from saccade.files import replacing
from saccade.tasks.vectors import Floats, WordVectors

ENDINGS = (".parquet", ".npz", ".jsonl")


def check_ending(path: Path) -> None:
    """Vectors can be written to a file of this name; better asked before they are computed."""
    if path.suffix not in ENDINGS:
        raise DataError(f"{path}: vectors are written as {', '.join(ENDINGS)}; name the file so")


def write_vectors(
    path: Path,
    *,
    texts: Sequence[str] = (),
    vectors: Floats | None = None,
    words: Sequence[WordVectors] = (),
) -> int:
    """Writes the vectors of texts, or of words with the number of their text (from 0); returns how many."""
    check_ending(path)
    if vectors is None:
        columns: dict[str, Any] = {
            "text": [number for number, one in enumerate(words) for _ in one.words],
            "word": [word for one in words for word in one.words],
        }
        vectors = np.concatenate([one.vectors for one in words])
    else:
        columns = {"text": list(texts)}
    with replacing(path) as new:
        _write(new, path.suffix, columns, vectors)
    return len(vectors)


def _write(path: Path, ending: str, columns: dict[str, Any], vectors: Floats) -> None:
    if ending == ".npz":
        arrays: dict[str, Any] = {name: np.array(values) for name, values in columns.items()}
        with path.open("wb") as file:
            np.savez(file, vectors=vectors, **arrays)
    elif ending == ".jsonl":
        path.write_text("".join(_lines(columns, vectors)), encoding="utf-8")
    else:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise DataError('writing Parquet needs pyarrow: pip install "saccade[parquet]"') from error
        flat = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(vectors.ravel()), vectors.shape[1])
        pyarrow.parquet.write_table(pyarrow.table({**columns, "vector": flat}), path)


def _lines(columns: dict[str, Any], vectors: Floats) -> Iterator[str]:
    for row, vector in enumerate(vectors):
        values = {name: column[row] for name, column in columns.items()}
        yield json.dumps({**values, "vector": [round(float(x), 7) for x in vector]}, ensure_ascii=False) + "\n"
