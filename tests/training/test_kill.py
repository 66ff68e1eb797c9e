"""The fourth promise: killed at any moment, a training goes on and ends bit-identical to one that was never killed."""

import json
import random
import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from command import SCENES, SMALL
from training.trainings import Process, outcome

STEPS = 330
RECIPE = (
    "transformer-tiny",
    *(o.replace("size=60", "size=20") for o in SCENES),
    *(o.replace("model.dropout=0", "model.dropout=0.1") for o in SMALL),
    f"train.budget={STEPS} steps",
    "train.batch_tokens=1024",
    "train.workers=2",
    "train.warmup=50",
    "train.log_every=4",
    "train.average=3",
    "train.validate_every=10 steps",
    "train.save_every=3 steps",
)


@dataclass(frozen=True)
class Life:
    """A process lives until something happened, and then at most so many seconds."""

    until: Literal["start", "preparing", "training", "saved"]
    seconds: float


# Torch is imported; the data is read and encoded; the model trains, validates, saves: in one of these moments it ends.
LIVES = [
    Life("start", 2.0),
    Life("preparing", 0.1),
    Life("preparing", 0.5),
    Life("training", 2.0),
    *[Life("saved", 0.8)] * 7,
]


def step_reached(run: Path) -> int:
    state = run / "last" / "state.json"
    return int(json.loads(state.read_text())["state"]["progress"]["step"]) if state.exists() else 0


def begin(place: Path) -> Process:
    """Goes on, or begins where no run folder was made yet."""
    if (place / "run" / "run.json").exists():
        return Process("resume", "run", cwd=place)
    shutil.rmtree(place / "run", ignore_errors=True)
    return Process("train", *RECIPE, "--run", "run", cwd=place)


def killed_after(life: Life, place: Path, seconds: float) -> int:
    """Begins or goes on, kills the process in its time, and says which step it had saved."""
    run = place / "run"
    with begin(place) as process:
        before = step_reached(run)
        match life.until:
            case "preparing":
                process.wait_until(lambda: "run:" in process.said())
            case "training":
                process.wait_until(lambda: "batches:" in process.said())
            case "saved":
                process.wait_until(lambda: step_reached(run) > before)
        time.sleep(seconds)
        assert process.popen.poll() is None, f"it ended before it could be killed: {process.said()}"
        process.popen.kill()
        assert process.wait() == -signal.SIGKILL
    return step_reached(run)


@pytest.mark.exactness
def test_killed_ten_times_it_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    never, often = tmp_path / "never", tmp_path / "often"
    never.mkdir()
    often.mkdir()
    dice = random.Random(2017)
    with Process("train", *RECIPE, "--run", "run", cwd=never) as undisturbed:
        reached = [killed_after(life, often, dice.uniform(0, life.seconds)) for life in LIVES]
        assert len(reached) >= 10
        assert reached == sorted(reached)
        assert len(set(reached)) > 4, f"hardly any progress between the kills: {reached}"
        assert 0 < reached[-1] < STEPS
        with begin(often) as last:
            assert last.wait() == 0, last.said()
        assert undisturbed.wait() == 0, undisturbed.said()
    assert step_reached(never / "run") == STEPS
    assert outcome(often / "run") == outcome(never / "run")
    assert not list((often / "run").rglob("*.new"))
