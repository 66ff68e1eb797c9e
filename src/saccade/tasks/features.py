"""What a frozen CNN sees in pictures: found once, kept in a cache, given to a captioner as grids of places.

Shapes: B pictures, G = h · w places, C width of their vectors.
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from saccade.data.images.reading import Fit, Pixels
from saccade.data.images.tensors import to_tensor
from saccade.errors import DataError
from saccade.interop.backbones import Backbone, find_backbone
from saccade.tasks.feature_cache import FeatureCache, Grids
from saccade.tasks.preparing import digest
from saccade.tasks.views import View

BATCH = 16
AHEAD = 4  # batches that are decoded while the CNN works
TOLD_SECONDS = 5.0

Say = Callable[[str], None]


def cache_place() -> Path:
    """``SACCADE_CACHE``, or ``saccade`` among the user's caches."""
    given = os.environ.get("SACCADE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "saccade"


@dataclass(frozen=True)
class Eye:
    """A backbone, with weights of its package or of a file, and how pictures become squares of ``size`` for it."""

    backbone: Backbone
    weights: Path
    fit: Fit
    size: int

    @classmethod
    def open(cls, name: str, *, weights: str | None, fit: Fit, size: int | None = None) -> "Eye":
        """At its own size where no other is given."""
        backbone = find_backbone(name)
        place = backbone.place(None if weights is None else Path(weights))
        if not place.is_file():
            raise DataError(f"{place}: there is no such file; data.weights names one with the weights of a {name}")
        return cls(backbone, place, fit, size or backbone.size)

    @cached_property
    def mark(self) -> str:
        """Other weights have another mark."""
        return digest(self.weights)[:12]

    def cache(self) -> FeatureCache:
        larger = "" if self.size == self.backbone.size else f"-{self.size}"
        folder = cache_place() / "features" / f"{self.backbone.name}-{self.mark}-{self.fit}{larger}"
        return FeatureCache(folder, places=self.backbone.side(self.size) ** 2, channels=self.backbone.channels)

    def key(self, view: View) -> str:
        return hashlib.sha256(view.key.encode()).hexdigest()[:32]

    def _seen(self, batches: Iterator[list[Pixels]]) -> Iterator[Tensor]:
        """(B, G, C) of each batch."""
        model = self.backbone.load(self.weights).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        for batch in batches:
            with torch.inference_mode():
                pictures_B3SS = self.backbone.normalised(to_tensor(np.stack(batch)))
                grid_BhwC = model.grid(pictures_B3SS.contiguous(memory_format=torch.channels_last))
            yield grid_BhwC.flatten(1, 2)

    def remember(self, views: Sequence[View], say: Say) -> FeatureCache:
        """The cache, after everything that it lacked of these pictures was looked at."""
        cache, keys = self.cache(), [self.key(view) for view in views]
        if not cache.missing(keys):
            return cache
        with cache.writing():
            places = list({keys[place]: place for place in cache.missing(keys)}.values())
            batches = [places[start : start + BATCH] for start in range(0, len(places), BATCH)]
            clock = _Clock(len(places), f"features of {self.backbone.name}", say)
            with ThreadPoolExecutor(max_workers=2) as pool:
                decoded = _ahead(pool, [[views[place] for place in batch] for batch in batches], self._read)
                for batch, grids_BGC in zip(batches, self._seen(decoded), strict=True):
                    half: Grids = grids_BGC.to(torch.float16).numpy()
                    cache.append([keys[place] for place in batch], half)
                    clock.tell(len(batch))
        return cache

    def _read(self, views: list[View]) -> list[Pixels]:
        return [view.pixels(self.size, self.fit) for view in views]


def _ahead(
    pool: ThreadPoolExecutor, batches: Sequence[list[View]], read: Callable[[list[View]], list[Pixels]]
) -> Iterator[list[Pixels]]:
    """The batches in their order, a few of them read before they are asked for."""
    waiting = [pool.submit(read, batch) for batch in batches[:AHEAD]]
    for batch in batches[AHEAD:]:
        yield waiting.pop(0).result()
        waiting.append(pool.submit(read, batch))
    for one in waiting:
        yield one.result()


class _Clock:
    """Says now and then how far it is, how fast, and how long it will take."""

    def __init__(self, total: int, what: str, say: Say) -> None:
        self._total, self._what, self._say = total, what, say
        self._done = 0
        self._began = self._last = time.monotonic()

    def tell(self, more: int) -> None:
        self._done += more
        now = time.monotonic()
        if now - self._last < TOLD_SECONDS and self._done < self._total:
            return
        self._last = now
        rate = self._done / max(now - self._began, 1e-9)
        minutes, seconds = divmod(int((self._total - self._done) / rate), 60)
        left = f", {minutes}:{seconds:02d} left" if self._done < self._total else ""
        self._say(f"{self._what}: {self._done:,} of {self._total:,} pictures, {rate:.0f} a second{left}")
