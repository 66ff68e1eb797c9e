"""``metrics.jsonl``: one JSON object a line, appended as training goes, cut back when a resumed training goes on."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from saccade.errors import RunError


class Scalars(Protocol):
    """What TensorBoard's writer offers."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> None: ...

    def close(self) -> None: ...


class MetricsLog:
    """Rows of kind ``train`` and ``valid``. Only ``seconds`` and ``tokens_per_second`` tell of the clock."""

    def __init__(self, path: Path, *, keep_bytes: int, scalars: Scalars | None = None) -> None:
        self._file = path.open("ab")
        if (size := self._file.tell()) < keep_bytes:
            raise RunError(
                f"{path} has {size:,} bytes, but had {keep_bytes:,} at the last checkpoint: put it back as it was"
            )
        self._file.truncate(keep_bytes)
        self._scalars = scalars

    def add(self, row: Mapping[str, Any]) -> None:
        self._file.write((json.dumps(row) + "\n").encode())
        self._file.flush()
        if self._scalars is not None:
            for name, value in row.items():
                if isinstance(value, int | float) and name != "step":
                    self._scalars.add_scalar(f"{row['kind']}/{name}", float(value), int(row["step"]))

    def bytes_written(self) -> int:
        """The length of the file, which is on disk when this returns."""
        os.fsync(self._file.fileno())
        return self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        self._file.close()
        if self._scalars is not None:
            self._scalars.close()
