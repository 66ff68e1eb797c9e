"""Rows of one text or pair each, put into batches by their lengths: what tasks for BERT have in common."""

from collections.abc import Iterator, Sequence

import numpy as np

from saccade.data.batches import Placed, Position, Rows, TokenBatches
from saccade.tasks.base import BATCH_TOKENS, LEAST_BATCHES


class TextRows:
    """``lengths`` are the tokens of each row with its marks; without ``batch_tokens`` a batch has a customary size.

    Rows of the same one of ``groups`` are read side by side.
    """

    def __init__(self, lengths: Rows, *, batch_tokens: int | None, seed: int, groups: Rows | None = None) -> None:
        self._lengths = lengths
        self.epoch_tokens = int(lengths.sum())
        fitting = max(int(lengths.max()), min(BATCH_TOKENS, self.epoch_tokens // LEAST_BATCHES))
        self.batches = TokenBatches(lengths, lengths, batch_tokens=batch_tokens or fitting, seed=seed, groups=groups)

    def stream(self, start: Position) -> Iterator[Placed]:
        return self.batches.stream(start)

    def lengths(self, rows: Rows) -> Rows:
        return self._lengths[rows]

    def tokens(self, rows: Rows) -> int:
        return int(self._lengths[rows].sum())

    def work(self, rows: Rows) -> Sequence[int]:
        """B, B·T and B·T²."""
        count, longest = len(rows), int(self._lengths[rows].max())
        return count, count * longest, count * longest**2

    def probes(self) -> Sequence[Rows]:
        """Rows of several lengths alone, the two shortest of them together, and all of them together."""
        by_length = np.argsort(self._lengths, kind="stable")
        few = [int(by_length[int(share * (len(by_length) - 1))]) for share in (0.0, 0.25, 0.5, 0.75, 0.95)]
        return [*(np.array([row]) for row in few), np.array(few[:2]), np.array(few)]
