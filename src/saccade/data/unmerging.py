"""Other segmentations of the same text, so that a model learns what its tokens are made of.

BPE dropout (Provilkov et al. 2020) leaves out merges at random while a text is cut. Here merges are undone instead: a
token is split into the two pieces it was merged from, with probability p, and so are those pieces again. The text stays
the same, the corpus stays encoded as it is, and a batch costs a look into a table.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.data.tokenizers import Tokenizer

Ids = npt.NDArray[np.integer[Any]]


class Unmerging:
    """Splits tokens with probability ``p``."""

    def __init__(self, tokenizer: Tokenizer, p: float) -> None:
        self.p = p
        self._parts_V2 = tokenizer.merged_from()

    def __call__(self, rows: Sequence[Ids], random: np.random.Generator, *, longest: int | None = None) -> list[Ids]:
        """The rows with other tokens; one that would grow beyond ``longest`` is left as it is."""
        tokens, row_of = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        undecided = np.ones(len(tokens), dtype=np.bool_)
        while True:
            split = undecided & (self._parts_V2[tokens, 0] >= 0)
            split[split] = random.random(int(split.sum())) < self.p
            if not split.any():
                break
            times = 1 + split
            first = np.cumsum(times) - times
            tokens, row_of, undecided, old = (np.repeat(each, times) for each in (tokens, row_of, split, tokens))
            tokens[first[split]] = self._parts_V2[old[first[split]], 0]
            tokens[first[split] + 1] = self._parts_V2[old[first[split]], 1]
        found = np.split(tokens, np.cumsum(np.bincount(row_of, minlength=len(rows)))[:-1])
        return [new if longest is None or len(new) <= longest else row for new, row in zip(found, rows, strict=True)]
