"""How a model sees pictures: as squares of one size, in colours of one scale; and the names of what it says of them.

It belongs to the weights as a tokenizer does, and lies beside them: ``pictures.json`` and ``labels.json``.

Shapes: B pictures, S their side in pixels.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from saccade.data.examples import PictureRef
from saccade.data.images.reading import Fit, Pixels, read_picture
from saccade.data.images.tensors import Channels, to_tensor
from saccade.errors import RunError
from saccade.files import write_text
from saccade.tasks.corpus import LABELS

FILE = "pictures.json"


@dataclass(frozen=True)
class Sight:
    """Every picture becomes ``pixels`` × ``pixels`` by ``fit``, its channels are normalised; ``labels`` are names."""

    pixels: int
    fit: Fit
    channels: Channels
    labels: tuple[str, ...] = ()

    def read(self, picture: PictureRef) -> Pixels:
        """(S, S, 3) bytes."""
        return read_picture(picture, size=self.pixels, fit=self.fit)

    def tensor(self, pictures_BSS3: Pixels, device: torch.device) -> Tensor:
        """(B, 3, S, S), as the model expects it."""
        return self.channels.normalise(to_tensor(pictures_BSS3).to(device))

    def save(self, folder: Path) -> None:
        said = {"pixels": self.pixels, "fit": self.fit, "mean": self.channels.mean, "std": self.channels.std}
        write_text(folder / FILE, json.dumps(said, indent=1) + "\n")
        if self.labels:
            write_text(folder / LABELS, json.dumps(self.labels, ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> "Sight":
        labels = folder / LABELS
        names = tuple(json.loads(labels.read_text(encoding="utf-8"))) if labels.exists() else ()
        try:
            said: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
            channels = Channels(mean=_three(said["mean"]), std=_three(said["std"]))
            return cls(int(said["pixels"]), cast(Fit, said["fit"]), channels, names)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{folder / FILE} is missing or damaged ({error}): put it back as it was") from error


def _three(values: list[float]) -> tuple[float, float, float]:
    red, green, blue = values
    return float(red), float(green), float(blue)
