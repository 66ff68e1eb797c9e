"""Where a captioner looked when it said a word, and whether it pointed at what the word speaks of.

Shapes: h × w places of a picture, H heads, Q tokens, K places.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.attention import Attended
from saccade.evaluation.pointing import PointedWord, score_pointing
from saccade.tasks.alignment import Lens
from saccade.tasks.captioned import Told
from saccade.tasks.describer import Described

PUNCTUATION = ".,;:!?\"“”'’()"


def plain(word: str) -> str:
    """In lower case and without the punctuation around it, as lists of words and boxes have it."""
    return word.lower().strip(PUNCTUATION)


@dataclass(frozen=True)
class LookedAt:
    """A word that was said, and the attention over the picture meanwhile: the mean over the word's tokens."""

    word: str
    weights_hw: NDArray[np.float32]

    @property
    def plain(self) -> str:
        return plain(self.word)


def looked_at(described: Described, attended: Attended, head: int | None = None) -> tuple[LookedAt, ...]:
    """For each word of the caption, by one head or by the mean of all."""
    weights_HQK = attended.weights_HQK.numpy()
    weights_QK = weights_HQK.mean(axis=0) if head is None else weights_HQK[head]
    side = math.isqrt(weights_QK.shape[1])
    found = []
    for place, word in enumerate(described.text.split()):
        tokens = [token for token, of_word in enumerate(described.words) if of_word == place]
        found.append(LookedAt(word, weights_QK[tokens].mean(axis=0).reshape(side, side)))
    return tuple(found)


def pointed(told: Told, looks: Sequence[LookedAt]) -> list[PointedWord]:
    """The words whose boxes are known."""
    return [
        PointedWord(told.name, look.plain, look.weights_hw, told.boxes[look.plain])
        for look in looks
        if look.plain in told.boxes
    ]


def best_lens(
    pictures: Sequence[Told], described: Sequence[Described], attended: Sequence[dict[str, Attended]]
) -> Lens | None:
    """The layer and head that point best on these pictures (of validation, never those that are reported)."""
    lenses = [
        Lens(layer, head) for layer, one in attended[0].items() for head in (None, *range(one.weights_HQK.shape[0]))
    ]
    hits: dict[Lens, float] = {}
    for lens in lenses:
        words = [
            word
            for told, said, seen in zip(pictures, described, attended, strict=True)
            for word in pointed(told, looked_at(said, seen[lens.layer], lens.head))
        ]
        if words:
            hits[lens] = score_pointing(words, resamples=0).hits.value
    return max(hits, key=lambda lens: hits[lens]) if hits else None
