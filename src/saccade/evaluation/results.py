"""`results.json`: every evaluation of a run with all that is needed to judge and repeat it.

The file is ``{"version": 1, "results": [...]}``, newest last. It is replaced as a whole, so that a reader never
meets half a file.
"""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from saccade.errors import DataError, RunError
from saccade.evaluation.translation import Score
from saccade.files import write_text
from saccade.version import __version__

FILE_NAME = "results.json"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class Machine:
    """The hardware and the torch that a number was measured with. ``gpu`` is None on a machine without one."""

    cpu: str
    cores: int
    gpu: str | None
    torch: str
    threads: int


@dataclass(frozen=True, kw_only=True)
class Result:
    """One evaluation: what was measured, on which data, with which settings, how long, where, when, by which command.

    ``decode`` holds the decoding settings by name (plain JSON values), ``data`` the specification of the test set as
    the user wrote it, ``seconds`` the time to decode all ``sentences``, or to read them, where ``unit`` says that they
    are documents; ``alignment`` the alignment error and where it was read, None where the truth is not known.
    """

    scores: tuple[Score, ...]
    data: str
    sentences: int
    decode: Mapping[str, Any]
    seconds: float
    command: str
    alignment: Mapping[str, Any] | None = None
    unit: str = "sentences"
    machine: Machine = field(default_factory=lambda: machine())
    saccade: str = __version__
    date: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


def machine() -> Machine:
    """This machine, as the running process may use it."""
    import torch

    return Machine(
        cpu=_cpu_model(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        gpu=torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        torch=torch.__version__,
        threads=torch.get_num_threads(),
    )


def _cpu_model() -> str:
    """Linux names the model in /proc/cpuinfo only; elsewhere Python's own answer is the best there is."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    return platform.processor() or platform.machine()


def read_results(folder: Path) -> list[dict[str, Any]]:
    """The entries of the folder's results.json, oldest first; none when there is no such file."""
    path = folder / FILE_NAME
    if not path.exists():
        return []
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunError(f"{path} is not readable as JSON ({error}): mend it or move it away") from error
    version = content.get("version") if isinstance(content, dict) else None
    if version != FORMAT_VERSION or not isinstance(content.get("results"), list):
        raise RunError(f"{path} has format version {version!r}, this saccade reads {FORMAT_VERSION}: move it away")
    entries: list[dict[str, Any]] = content["results"]
    return entries


def append_result(folder: Path, entry: Result) -> None:
    """Add ``entry`` as the newest."""
    content = {"version": FORMAT_VERSION, "results": [*read_results(folder), asdict(entry)]}
    try:
        text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise DataError(f"the result holds a number that is not finite ({error}): it is not written") from error
    if not folder.is_dir():
        raise RunError(f"{folder} is not a folder: results are kept in the folder of a run")
    write_text(folder / FILE_NAME, text + "\n")
