"""[CLS] A [SEP], or [CLS] A [SEP] B [SEP]: one or two texts as BERT reads them, padded into a batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from saccade.data.tokenizers import Tokenizer
from saccade.models import Reading

Ids = npt.NDArray[np.integer[Any]] | Sequence[int]


@dataclass(frozen=True)
class Joined:
    """The tokens of one or two texts with their marks; ``first`` and ``second`` say where the texts' own tokens are."""

    tokens: npt.NDArray[np.int64]
    first: slice
    second: slice

    def __len__(self) -> int:
        return len(self.tokens)


def join(tokenizer: Tokenizer, first: Ids, second: Ids | None = None, *, most: int) -> Joined:
    """Puts the marks in. What is longer than ``most`` with its marks loses tokens at the end of its longer text."""
    room = most - (2 if second is None else 3)
    one, other = len(first), 0 if second is None else len(second)
    if one + other > room:
        other = min(other, max(room // 2, room - one))
        one = min(one, room - other)
    marks = ([tokenizer.bos_id], [tokenizer.eos_id])
    parts = [marks[0], first[:one], marks[1], *(() if second is None else (second[:other], marks[1]))]
    tokens = np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])
    return Joined(tokens, slice(1, 1 + one), slice(2 + one, 2 + one + other))


def batch_of(texts: Sequence[Joined], tokenizer: Tokenizer, device: torch.device) -> Reading:
    """The texts padded to the longest."""
    longest = max(map(len, texts))
    tokens = np.full((len(texts), longest), tokenizer.pad_id, dtype=np.int64)
    segments = np.zeros_like(tokens)
    real = np.zeros(tokens.shape, dtype=np.bool_)
    for row, text in enumerate(texts):
        tokens[row, : len(text)] = text.tokens
        real[row, : len(text)] = True
        segments[row, text.second.start : len(text)] = 1  # with its mark; without a second text there is nothing here
    return Reading(*(torch.from_numpy(one).to(device) for one in (tokens, segments, real)))
