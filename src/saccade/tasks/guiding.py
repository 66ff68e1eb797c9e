"""Attention that is shown where to look (Liu et al. 2017, "Attention Correctness in Neural Image Captioning").

Where the boxes of what a word speaks of are known, the loss gets −λ log of the attention that lies in them.

Shapes: B captions, T tokens, G places.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray

from saccade.data.examples import Box
from saccade.data.tokenizers import Tokenizer
from saccade.evaluation.regions import cell_centres_covered, coverage
from saccade.models import Guide
from saccade.tasks.pointing import plain
from saccade.tasks.spool import Shown
from saccade.tasks.translation import Ids
from saccade.tasks.views import Way

KEPT = 1 << 16  # boxes whose places are remembered


class Guiding:
    """Says of each token of a caption which places of its picture it speaks of."""

    def __init__(self, tokenizer: Tokenizer, shown: Sequence[Shown], *, weight: float) -> None:
        self._tokenizer = tokenizer
        self._shown = shown
        self._weight = weight

    def guide(
        self, numbers: Sequence[int], captions: Sequence[Ids], ways: Sequence[Way], *, length: int, side: int
    ) -> Guide:
        """Of captions of the pictures with these numbers, seen in these ways as ``side`` × ``side`` places.

        Captions are padded to ``length`` tokens.
        """
        places_BTG = np.zeros((len(captions), length, side**2), dtype=bool)
        for row, (number, ids, way) in enumerate(zip(numbers, captions, ways, strict=True)):
            known = self._shown[number].boxes
            words = [plain(word) for word in self._tokenizer.decode(ids).split()]
            for token, word in enumerate(self._tokenizer.words(ids)):
                boxes = () if word < 0 else known.get(words[word], ())
                seen = tuple(box for box in map(way.box, boxes) if box is not None)
                if seen:
                    places_BTG[row, token] = places_of(seen, side)
        return Guide(torch.from_numpy(places_BTG), self._weight)


@lru_cache(maxsize=KEPT)
def places_of(boxes: tuple[Box, ...], side: int) -> NDArray[np.bool_]:
    """(G): those whose centres lie in a box; of boxes between all centres the place that they cover most of."""
    inside_HW = cell_centres_covered(boxes, side, side)
    if not inside_HW.any():
        share_HW = coverage(boxes, side, side)
        inside_HW = share_HW == share_HW.max()
    return inside_HW.reshape(-1)
