"""Stopped by a signal or by a full disk through the real command line, a training goes on and ends the same."""

import resource
import signal
import subprocess
from pathlib import Path

import pytest

from command import SACCADE, SCENES, SMALL, command, environment
from training.trainings import Process, outcome

RECIPE = (
    "transformer-tiny",
    *(o.replace("size=3000", "size=400").replace("size=60", "size=8") for o in SCENES),
    *(o.replace("model.dropout=0", "model.dropout=0.2") for o in SMALL),
    "train.batch_tokens=512",
    "train.warmup=20",
    "train.validate_every=60 steps",
    "train.log_every=7",
    "train.average=2",
)


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("whole") / "run"
    done = command("train", *RECIPE, "train.budget=150 steps", "--run", str(run))
    assert done.exit_code == 0, done.stderr
    return run


@pytest.mark.exactness
def test_signals_save_and_leave_and_nothing_is_lost(whole: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with Process("train", *RECIPE, "train.budget=150 steps", "--run", "run", cwd=tmp_path) as first:
        first.wait_until(lambda: size(run / "metrics.jsonl") > 0)
        first.popen.send_signal(signal.SIGTERM)
        assert first.wait() == 128 + signal.SIGTERM
    assert first.said().endswith("stopped and saved; go on with: saccade resume run\n")
    logged = size(run / "metrics.jsonl")
    with Process("resume", "run", cwd=tmp_path) as second:
        second.wait_until(lambda: size(run / "metrics.jsonl") > logged)
        second.popen.send_signal(signal.SIGINT)
        assert second.wait() == 128 + signal.SIGINT
    assert "Traceback" not in first.said() + second.said()
    assert outcome(run)["progress"]["step"] < 150
    done = command("resume", str(run))
    assert done.exit_code == 0, done.stderr
    assert outcome(run) == outcome(whole)


@pytest.mark.exactness
def test_on_a_full_disk_the_checkpoint_stays_whole(whole: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    begun = command("train", *RECIPE, "train.budget=60 steps", "--run", str(run))
    assert begun.exit_code == 0, begun.stderr
    before = {path.name: path.read_bytes() for path in (run / "last").iterdir()}
    weights = (run / "model.safetensors").stat().st_size

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (weights // 2, weights // 2))

    full = subprocess.run(
        [*SACCADE, "resume", str(run), "train.budget=150 steps"],
        capture_output=True,
        env=environment(),
        preexec_fn=no_room,
        timeout=120,
    )
    said = full.stderr.decode()
    assert full.returncode == 2, said
    assert "could not be written (" in said
    assert "what was saved before is untouched" in said
    assert "Traceback" not in said
    assert {path.name: path.read_bytes() for path in (run / "last").iterdir()} == before
    done = command("resume", str(run))
    assert done.exit_code == 0, done.stderr
    assert outcome(run) == outcome(whole)
