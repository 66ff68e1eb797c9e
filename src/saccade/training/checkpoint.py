"""``last/``: everything to go on with. There is always one whole checkpoint.

Random states are not part of it: what a step draws depends on the seed and the step's number alone.

The tensors of a checkpoint are written under names that carry its step; ``state.json``, replaced in one move, then
names them. Killed before that move, the old state still names the old files; killed after it, the new one is whole.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from saccade.data.batches import Position
from saccade.errors import RunError
from saccade.files import write_text
from saccade.training.optimizers import load_optimizer_tensors, optimizer_tensors
from saccade.training.progress import Progress
from saccade.training.storage import load_tensors, save_tensors
from saccade.training.weights import put_weights, weights_of


@dataclass(frozen=True)
class Saved:
    """What ``state.json`` says: how far the training was, and the weights that wait to be averaged."""

    progress: Progress
    snapshots: tuple[Path, ...]


class Checkpoint:
    """Saves and restores a training in the folder ``last/`` of a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state.json"

    def save(
        self, model: nn.Module, optimizer: torch.optim.Optimizer, progress: Progress, snapshots: tuple[Path, ...]
    ) -> None:
        self.folder.mkdir(exist_ok=True)
        weights, moments = f"weights-{progress.step:08}.safetensors", f"optimizer-{progress.step:08}.safetensors"
        save_tensors(self.folder / weights, weights_of(model))
        save_tensors(self.folder / moments, optimizer_tensors(optimizer, model))
        said = {
            "progress": asdict(progress),
            "weights": weights,
            "optimizer": moments,
            "snapshots": [path.name for path in snapshots],
        }
        write_text(self.state, json.dumps({"sha256": _digest(said), "state": said}, indent=1))
        self._remove_others({weights, moments, *said["snapshots"], self.state.name})

    def exists(self) -> bool:
        return self.state.exists()

    def restore(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> Saved:
        """Puts weights and optimiser back and says where the training was."""
        said = self._read_state()
        path = self.folder / said["weights"]
        put_weights(model, load_tensors(path), origin=path)
        load_optimizer_tensors(optimizer, model, load_tensors(self.folder / said["optimizer"]))
        return Saved(_progress(said), tuple(self.folder / name for name in said["snapshots"]))

    def progress(self) -> Progress:
        """How far the training was."""
        return _progress(self._read_state())

    def _read_state(self) -> dict[str, Any]:
        try:
            written = json.loads(self.state.read_text(encoding="utf-8"))
            state: dict[str, Any] = written["state"]
            whole = written["sha256"] == _digest(state)
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{self.state} is damaged ({error})") from error
        if not whole:
            raise RunError(f"{self.state} is damaged: its contents do not agree with their checksum")
        return state

    def _remove_others(self, wanted: set[str]) -> None:
        for path in self.folder.iterdir():
            if path.name not in wanted:
                path.unlink()


def _progress(state: dict[str, Any]) -> Progress:
    said = state["progress"]
    return Progress(**{**said, "position": Position(**said["position"])})


def _digest(state: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()
