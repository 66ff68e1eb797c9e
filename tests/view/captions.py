"""Captioned pictures for the tests of this room."""

import numpy as np

from saccade.scenes.world import Box
from saccade.view.captioned import CaptionedPicture, CaptionLook, WordLook

WORDS = ("a", "red", "ball")


def picture(height: int = 40, width: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def grid(row: int, column: int, rows: int = 4, columns: int = 6) -> np.ndarray:
    weights_HW = np.full((rows, columns), 0.1 / (rows * columns - 1))
    weights_HW[row, column] = 0.9
    return weights_HW


def caption(name: str = "soft", words: tuple[str, ...] = WORDS, open_at: int | None = None) -> CaptionLook:
    looks = tuple(
        WordLook(word, grid(0, place), (Box(0.25, 0.5, 0.75, 1.0),) if word == "ball" else ())
        for place, word in enumerate(words)
    )
    return CaptionLook(name, looks, open_at)


def captioned(*captions: CaptionLook, name: str = "picture 1", note: str = "") -> CaptionedPicture:
    return CaptionedPicture(name, picture(), captions or (caption(),), note)
