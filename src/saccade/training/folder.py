"""The run folder: what lies where, which version wrote it, and who trains in it now."""

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from saccade.errors import RunError
from saccade.files import replacing, write_text
from saccade.version import __version__

FORMAT = 1


class RunFolder:
    """The paths of one run. The folder is a contract: docs/run-folder.md says what each file holds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mark = path / "run.json"
        self.recipe = path / "recipe.yaml"
        self.data = path / "data"
        self.initial = path / "initial.safetensors"
        self.model = path / "model.safetensors"
        self.last = path / "last"
        self.metrics = path / "metrics.jsonl"
        self.samples = path / "samples"
        self.results = path / "results.json"
        self.report = path / "report.html"

    @classmethod
    def create(cls, path: Path, recipe: str, *, init_from: "RunFolder | None" = None) -> "RunFolder":
        """A new run with its resolved recipe; with ``init_from``, that run's weights and what belongs to them.

        The mark is written last: a folder with a mark is whole.
        """
        folder = cls(path)
        if folder.mark.exists():
            raise RunError(f"{path} already holds a run: go on with `saccade resume {path}`, or choose another --run")
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise RunError(f"{path} exists and is not a run folder: choose another --run, or move it away")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunError(f"{path} cannot be made: {error.strerror}") from error
        folder.samples.mkdir()
        write_text(folder.recipe, recipe)
        if init_from is not None:
            for file in (*belongings(init_from.path), init_from.model):
                with replacing(folder.initial if file == init_from.model else path / file.name) as new:
                    shutil.copyfile(file, new)
        made = datetime.now(UTC).isoformat(timespec="seconds")
        write_text(folder.mark, json.dumps({"format": FORMAT, "saccade": __version__, "created": made}) + "\n")
        return folder

    @classmethod
    def open(cls, path: Path) -> "RunFolder":
        """An existing run, of a version that this Saccade can read."""
        folder = cls(path)
        if not path.is_dir():
            beside = [p.name for p in path.parent.iterdir() if p.is_dir()] if path.parent.is_dir() else []
            near = get_close_matches(path.name, beside, n=1)
            hint = f" (did you mean {path.parent / near[0]}?)" if near else ""
            raise RunError(f"{path}: no such run folder{hint}")
        if not folder.mark.exists():
            raise RunError(f"{path} is not a whole run folder: run.json is missing. Train again into another folder")
        try:
            written = json.loads(folder.mark.read_text(encoding="utf-8"))["format"]
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{folder.mark} is damaged: it does not say the folder's format") from error
        if written != FORMAT:
            raise RunError(
                f"{path} was written in run format {written}, this Saccade {__version__} reads format {FORMAT}: "
                "use the Saccade that wrote it"
            )
        return folder

    @contextmanager
    def training(self) -> Iterator[None]:
        """Holds the folder for one training at a time."""
        with held(self.path, by="training"):
            yield


def belongings(folder: Path) -> list[Path]:
    """The files that belong to the weights, whatever labels are learned: tokenizers, or how pictures are seen."""
    return [*folder.glob("tokenizer*.json"), *folder.glob("pictures.json")]


@contextmanager
def held(folder: Path, *, by: str) -> Iterator[None]:
    """Holds the folder for one process at a time; the system lets go of it even when the process is killed."""
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunError(f"{folder} is in use: another {by} writes into it") from error
        yield


def next_run(name: str, parent: Path = Path("runs")) -> Path:
    """The first free ``runs/NAME-n``."""
    number = 1
    while (parent / f"{name}-{number}").exists():
        number += 1
    return parent / f"{name}-{number}"
