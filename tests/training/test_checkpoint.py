import json
import os
from itertools import count
from pathlib import Path

import pytest
import torch
from torch import nn

from saccade.data.batches import Position
from saccade.errors import RunError
from saccade.training.checkpoint import Checkpoint
from saccade.training.optimizers import make_optimizer, optimizer_tensors
from saccade.training.progress import Progress
from saccade.training.storage import save_tensors
from saccade.training.weights import weights_of
from tasks.parts import member
from training.trainings import settings


@pytest.fixture
def model() -> nn.Module:
    return member().model


@pytest.fixture
def optimizer(model: nn.Module) -> torch.optim.Optimizer:
    made = make_optimizer(model, settings())
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    made.step()
    return made


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_everything_comes_back(tmp_path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    checkpoint = Checkpoint(tmp_path / "last")
    assert not checkpoint.exists()
    (tmp_path / "last").mkdir()
    snapshot = tmp_path / "last" / "snapshot-00000004.safetensors"
    save_tensors(snapshot, weights_of(model))
    progress = Progress(Position(3, 2), step=7, epochs=3.4, tokens=99, seconds=1.5, best=0.25, stale=1)
    checkpoint.save(model, optimizer, progress, (snapshot,))
    other = member(seed=5).model
    fresh = make_optimizer(other, settings())
    saved = checkpoint.restore(other, fresh)
    assert saved.progress == progress
    assert saved.snapshots == (snapshot,)
    assert all(torch.equal(weights_of(other)[name], tensor) for name, tensor in weights_of(model).items())
    state = optimizer_tensors(optimizer, model)
    assert all(torch.equal(tensor, state[name]) for name, tensor in optimizer_tensors(fresh, other).items())


def test_only_the_newest_is_kept(tmp_path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    checkpoint = Checkpoint(tmp_path / "last")
    for step in (3, 6):
        checkpoint.save(model, optimizer, Progress(step=step), ())
        (tmp_path / "last" / "weights-00000099.safetensors.new").write_text("left by a killed process")
    checkpoint.save(model, optimizer, Progress(step=9), ())
    names = ["optimizer-00000009.safetensors", "state.json", "weights-00000009.safetensors"]
    assert files(tmp_path / "last") == names


@pytest.mark.parametrize("whole_files", [0, 1, 2], ids=["weights", "optimizer", "state"])
def test_broken_while_saving_the_one_before_is_whole(
    tmp_path: Path,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    whole_files: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checkpoint = Checkpoint(tmp_path / "last")
    checkpoint.save(model, optimizer, Progress(step=3), ())
    before = {name: tensor.clone() for name, tensor in weights_of(model).items()}
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)
    renames = count(1)

    def full(self: Path, target: Path) -> None:
        if next(renames) > whole_files:
            raise OSError(28, "No space left on device")
        os.rename(self, target)  # noqa: PTH104 (Path.replace is what is replaced here)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(RunError, match="could not be written"):
            checkpoint.save(model, optimizer, Progress(step=6), ())
    assert not list((tmp_path / "last").glob("*.new"))
    other = member(seed=5).model
    assert checkpoint.restore(other, make_optimizer(other, settings())).progress.step == 3
    assert all(torch.equal(weights_of(other)[key], tensor) for key, tensor in before.items())


def test_a_damaged_state(tmp_path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    checkpoint = Checkpoint(tmp_path / "last")
    checkpoint.save(model, optimizer, Progress(step=3), ())
    written = json.loads(checkpoint.state.read_text())
    written["state"]["progress"]["step"] = 4
    for text, message in [
        (json.dumps(written), "state.json is damaged: its contents do not agree with their checksum"),
        ("{", r"state.json is damaged \("),
        ("[]", r"state.json is damaged \("),
        ('{"state": {}}', r"state.json is damaged \('sha256'\)"),
    ]:
        checkpoint.state.write_text(text)
        with pytest.raises(RunError, match=message):
            checkpoint.restore(model, optimizer)


def test_missing_weights(tmp_path: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    checkpoint = Checkpoint(tmp_path / "last")
    checkpoint.save(model, optimizer, Progress(step=3), ())
    (tmp_path / "last" / "weights-00000003.safetensors").unlink()
    with pytest.raises(RunError, match=r"weights-00000003.safetensors is missing"):
        checkpoint.restore(model, optimizer)
