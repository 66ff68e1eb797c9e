import json
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.errors import RunError
from saccade.training.folder import RunFolder, next_run

HOLD = """
import sys
from pathlib import Path
from saccade.training.folder import RunFolder
with RunFolder.open(Path(sys.argv[1])).training():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_created_and_opened(tmp_path: Path) -> None:
    made = RunFolder.create(tmp_path / "a" / "b", "task: translation\n")
    opened = RunFolder.open(tmp_path / "a" / "b")
    assert opened.path == made.path
    assert opened.recipe.read_text() == "task: translation\n"
    assert json.loads(opened.mark.read_text()).keys() == {"format", "saccade", "created"}
    assert opened.samples.is_dir()


def test_an_empty_folder_may_become_a_run(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    RunFolder.create(tmp_path / "run", "")


def test_a_run_is_never_overwritten(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", "first")
    with pytest.raises(RunError, match=r"run already holds a run: go on with `saccade resume .*run`, or choose"):
        RunFolder.create(tmp_path / "run", "second")
    assert RunFolder.open(tmp_path / "run").recipe.read_text() == "first"


def test_something_else_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("x")
    for name in ("file", "folder"):
        with pytest.raises(RunError, match=rf"{name} exists and is not a run folder: choose another --run"):
            RunFolder.create(tmp_path / name, "")
    with pytest.raises(RunError, match=r"run cannot be made: Not a directory"):
        RunFolder.create(tmp_path / "file" / "run", "")


def test_missing_with_a_hint(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "scenes-en-fr-1", "")
    with pytest.raises(RunError, match=r"scenes-en-f-1: no such run folder \(did you mean .*scenes-en-fr-1\?\)"):
        RunFolder.open(tmp_path / "scenes-en-f-1")
    with pytest.raises(RunError, match=r"zzz: no such run folder$"):
        RunFolder.open(tmp_path / "zzz")
    with pytest.raises(RunError, match=r"no such run folder$"):
        RunFolder.open(tmp_path / "nowhere" / "at" / "all")


def test_half_written(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", "").mark.unlink()
    with pytest.raises(RunError, match=r"run is not a whole run folder: run.json is missing. Train again into another"):
        RunFolder.open(tmp_path / "run")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "3"])
def test_a_damaged_mark(tmp_path: Path, text: str) -> None:
    RunFolder.create(tmp_path / "run", "").mark.write_text(text)
    with pytest.raises(RunError, match=r"run.json is damaged: it does not say the folder's format"):
        RunFolder.open(tmp_path / "run")


def test_another_version(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "run", "").mark.write_text('{"format": 99}')
    with pytest.raises(RunError, match=r"run was written in run format 99, this Saccade .* reads format 1: use the"):
        RunFolder.open(tmp_path / "run")


def test_one_training_at_a_time(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run", "")
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    with pytest.raises(RunError, match=r"run is in use: another training writes into it"), folder.training():
        pass
    other.kill()  # not even given the time to tidy up
    other.communicate()
    with folder.training():
        pass


def test_begun_from_another_run(tmp_path: Path) -> None:
    origin = RunFolder.create(tmp_path / "origin", "")
    origin.model.write_bytes(b"weights")
    (origin.path / "tokenizer.source.json").write_text("source")
    (origin.path / "tokenizer.target.json").write_text("target")
    made = RunFolder.create(tmp_path / "tuned", "", init_from=origin)
    assert made.initial.read_bytes() == b"weights"
    assert not made.model.exists()
    assert (made.path / "tokenizer.source.json").read_text() == "source"
    assert (made.path / "tokenizer.target.json").read_text() == "target"


def test_the_next_free_name(tmp_path: Path) -> None:
    assert next_run("x", tmp_path) == tmp_path / "x-1"
    (tmp_path / "x-1").mkdir()
    (tmp_path / "x-2").touch()
    assert next_run("x", tmp_path) == tmp_path / "x-3"
