"""Running text as batches: documents one after another, cut into rows of equal length, so that nothing is padding.

The corpus is one long stream of ids, each document with its end mark behind it. A row is known by the place where it
starts and reaches over ``context`` ids. In every epoch each id is in one row; a first row of another length moves all
borders, so that words do not always stand at the same place of a row.
"""

from dataclasses import dataclass

import numpy as np

from saccade.data.batches import Batches, Rows
from saccade.errors import DataError


@dataclass(frozen=True, slots=True)
class Stretch:
    """The ids ``start`` … ``end`` − 1 of the stream."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


class PackedBatches(Batches):
    """All batches of all epochs over a stream of ``ids`` ids, in an order that depends on seed and epoch alone."""

    def __init__(self, ids: int, *, context: int, batch_tokens: int, seed: int) -> None:
        super().__init__(batch_tokens=batch_tokens, seed=seed)
        if not ids:
            raise DataError("no text to make batches of: the training data is empty; check data.train")
        if batch_tokens < context:
            raise DataError(
                f"a row has data.context {context:,} tokens, more than a whole batch of {batch_tokens:,}; "
                "raise train.batch_tokens or lower data.context"
            )
        self.ids = ids
        self.context = context

    def epoch(self, n: int) -> list[Rows]:
        """The batches of epoch ``n`` (from 0): every id once. A first row may start before the stream does."""
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, n])))
        first = 1 + int(random.integers(min(self.context, self.ids)))
        rows = random.permutation(np.arange(first - self.context, self.ids, self.context, dtype=np.int64))
        each = self.batch_tokens // self.context
        return [rows[start : start + each] for start in range(0, len(rows), each)]

    def stretch(self, row: int) -> Stretch:
        """What a row holds: ``context`` ids, or fewer at the two ends of the stream."""
        return Stretch(max(0, row), min(self.ids, row + self.context))

    def lengths(self, rows: Rows) -> Rows:
        """How many ids each of these rows holds."""
        return np.minimum(self.ids, rows + self.context) - np.maximum(0, rows)

    def padding_share(self, n: int) -> float:
        return 1 - self.ids / sum(len(rows) * int(self.lengths(rows).max()) for rows in self.epoch(n))
