"""What a picture model says of pictures.

Shapes: N pictures, S their side in pixels, L labels.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
import torch

from saccade.data.images.reading import Pixels
from saccade.models import PictureModel
from saccade.tasks.sight import Sight

Floats = npt.NDArray[np.float32]

BATCH_PIXELS = 1 << 19  # read at once: 512 pictures of 32 px, 10 of 224


@dataclass(frozen=True)
class Seen:
    """The scores of every label, and the seconds that the model took for them, reading and decoding not counted."""

    scores_NL: Floats
    seconds: float


def seen(
    model: PictureModel,
    sight: Sight,
    pictures_SS3: Iterable[Pixels],
    on_progress: Callable[[int], None] | None = None,
) -> Seen:
    """Scores of pictures as they come, in constant memory but for the scores."""
    device = next(model.parameters()).device
    found: list[Floats] = []
    seconds, count = 0.0, 0
    for batch_BSS3 in _batches(iter(pictures_SS3), max(1, BATCH_PIXELS // sight.pixels**2)):
        began = time.perf_counter()
        with torch.no_grad():
            found.append(model.scores(sight.tensor(batch_BSS3, device)).float().cpu().numpy())
        seconds += time.perf_counter() - began
        count += len(batch_BSS3)
        if on_progress is not None:
            on_progress(count)
    return Seen(np.concatenate(found) if found else np.empty((0, len(sight.labels)), np.float32), seconds)


def _batches(pictures_SS3: Iterator[Pixels], size: int) -> Iterator[Pixels]:
    while batch := list(islice(pictures_SS3, size)):
        yield np.stack(batch)
