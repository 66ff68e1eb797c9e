"""Batches of rows by token budget, with little padding, in an order that depends on seed and epoch alone.

A batch of rows is padded to its longest source and its longest target; its size is
``rows · max(longest source, longest target)`` and never exceeds ``batch_tokens``.

Lengths are what the model will see: with the ``<s>`` and ``</s>`` that the task adds.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from saccade.errors import DataError

Rows = npt.NDArray[np.int64]
Lengths = npt.NDArray[np.integer[Any]]

# Rows whose source and target differ in length by nearly the same amount may change places; measured on Multi30k at
# 4,096 tokens a width of 3 leaves under 5 % padding and keeps under a third of a row's companions to the next epoch.
_NOISE = 3.0

FILLING = 0
"""Fills rows up where their lengths are known: any id would do."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the endless stream of batches: the next batch to take."""

    epoch: int = 0
    batch: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A batch, the place it stands at, and what holds once it has been used: where to go on, and the epochs seen."""

    position: Position
    following: Position
    rows: Rows
    epochs: float


class Batches(ABC):
    """All batches of all epochs, the same ones for the same seed."""

    least_share: ClassVar[int] = 512
    """Tokens of a batch for each of several processes: less is not worth meeting for."""

    def __init__(self, *, batch_tokens: int, seed: int) -> None:
        self.batch_tokens = batch_tokens
        self.seed = seed

    @abstractmethod
    def epoch(self, n: int) -> list[Rows]:
        """The batches of epoch ``n`` (from 0)."""

    @abstractmethod
    def padding_share(self, n: int) -> float:
        """The share of padding among all positions of epoch ``n``."""

    def stream(self, start: Position) -> Iterator[Placed]:
        """Batches without end from ``start`` on, epoch after epoch."""
        epoch, first = start.epoch, start.batch
        while True:
            batches = self.epoch(epoch)
            if first > len(batches):
                raise DataError(
                    f"batch {first:,} of epoch {epoch:,} does not exist, it has {len(batches):,}: the data, the seed "
                    "or the size of a batch changed since this position was saved; go on with the former ones"
                )
            for batch in range(first, len(batches)):
                last = batch + 1 == len(batches)
                following = Position(epoch + 1, 0) if last else Position(epoch, batch + 1)
                yield Placed(Position(epoch, batch), following, batches[batch], epoch + (batch + 1) / len(batches))
            epoch, first = epoch + 1, 0


class TokenBatches(Batches):
    """All batches of all epochs over rows of a source and a target length each.

    For rows with one side only, give the same lengths twice. Rows with the same number in ``groups`` stand side by
    side, each counted as long as the longest of them; the end of a batch may still part them.
    """

    def __init__(
        self,
        lengths_source: Lengths,
        lengths_target: Lengths,
        *,
        batch_tokens: int,
        seed: int,
        groups: Rows | None = None,
    ) -> None:
        super().__init__(batch_tokens=batch_tokens, seed=seed)
        if len(lengths_source) != len(lengths_target):
            raise DataError(
                f"{len(lengths_source):,} source rows and {len(lengths_target):,} target rows: "
                "both sides must have equally many; encode them from the same pairs"
            )
        if not len(lengths_source):
            raise DataError("no rows to make batches of: the training data is empty; check data.train")
        self._source = np.asarray(lengths_source, dtype=np.int64)
        self._target = np.asarray(lengths_target, dtype=np.int64)
        self._groups = np.arange(len(self._source)) if groups is None else groups
        source, target = (_greatest(one, self._groups) for one in (self._source, self._target))
        self._difference = source - target
        self._longest = np.maximum(source, target)
        row = int(np.maximum(self._source, self._target).argmax())
        if self._longest[row] > batch_tokens:
            raise DataError(
                f"row {row:,} (from 0) has {self._longest[row]:,} tokens, more than a whole batch of {batch_tokens:,}; "
                "raise train.batch_tokens or leave out such long rows"
            )

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._longest)

    def epoch(self, n: int) -> list[Rows]:
        """The batches of epoch ``n`` (from 0): every row once.

        Rows are put in the order of their longer side, which the budget counts; among equals, in the order of source
        minus target length with some noise, so that the other side is near equal too. That order runs up and down in
        turn, so that a batch that crosses from one length to the next crosses between neighbours.
        """
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, n])))
        difference = self._difference + _NOISE * random.random(1 + self._groups.max())[self._groups]
        turn = np.where(self._longest % 2 == 0, difference, -difference)
        order = np.lexsort((turn, self._longest))
        # A shorter first batch moves every border, so that batches differ even where few rows share a length.
        batches = _cut(order, self._longest[order], self.batch_tokens, first_share=1 - random.random() / 2)
        return [batches[i] for i in random.permutation(len(batches))]

    def padding_share(self, n: int) -> float:
        """The share of padding among all positions of source and target in epoch ``n``."""
        positions = sum(len(rows) * int(self._source[rows].max() + self._target[rows].max()) for rows in self.epoch(n))
        return 1 - int(self._source.sum() + self._target.sum()) / positions if positions else 0.0


class RowBatches(Batches):
    """All batches of all epochs over rows of equal size, such as pictures: each counts as one token.

    Batches of an epoch differ by one row at most, so that none is too small for the statistics of a batch norm.
    """

    least_share: ClassVar[int] = 16

    def __init__(self, rows: int, *, batch_rows: int, seed: int) -> None:
        super().__init__(batch_tokens=batch_rows, seed=seed)
        if not rows:
            raise DataError("no rows to make batches of: the training data is empty; check data.train")
        self.rows = rows

    def epoch(self, n: int) -> list[Rows]:
        """The batches of epoch ``n`` (from 0): every row once, in an order of its own."""
        random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, n])))
        return np.array_split(random.permutation(self.rows), -(-self.rows // self.batch_tokens))

    def padding_share(self, n: int) -> float:  # noqa: ARG002 (in no epoch is there any)
        return 0.0


def in_length_order(lengths: Lengths, batch_tokens: int) -> list[Rows]:
    """Batches for evaluation, longest rows first, so that what does not fit into memory shows at once.

    ``rows · longest <= batch_tokens``, but a row longer than that is a batch alone: evaluation leaves nothing out.
    The rows say where each result belongs: ``for row, result in zip(rows, results): in_input_order[row] = result``.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    sizes = np.asarray(lengths, dtype=np.int64)[order]
    batches: list[Rows] = []
    start = 0
    while start < len(order):
        end = start + max(1, batch_tokens // max(1, int(sizes[start])))
        batches.append(order[start:end])
        start = end
    return batches


def pad(
    sequences: Sequence[npt.NDArray[np.integer[Any]] | Sequence[int]],
    pad_id: int,
    *,
    prefix: Sequence[int] = (),
    suffix: Sequence[int] = (),
) -> torch.Tensor:
    """The sequences as int64 ``(rows, longest)``, each with ``prefix`` before and ``suffix`` after it, then padding."""
    if not sequences:
        return torch.zeros((0, 0), dtype=torch.int64)
    lengths = np.fromiter(map(len, sequences), dtype=np.int64, count=len(sequences))
    ends = len(prefix) + lengths
    columns = np.arange(int(ends.max()) + len(suffix))
    padded = np.full((len(sequences), len(columns)), pad_id, dtype=np.int64)
    padded[:, : len(prefix)] = prefix
    padded[(columns >= len(prefix)) & (columns < ends[:, None])] = np.concatenate(sequences)
    for place, token in enumerate(suffix):
        padded[np.arange(len(sequences)), ends + place] = token
    return torch.from_numpy(padded)


def _greatest(lengths: Rows, groups: Rows) -> Rows:
    """For each row the greatest length in its group."""
    found = np.zeros(1 + groups.max(), dtype=np.int64)
    np.maximum.at(found, groups, lengths)
    return found[groups]


def _cut(order: Rows, lengths: Rows, batch_tokens: int, *, first_share: float) -> list[Rows]:
    """Cut rows of rising length into the longest stretches with ``rows · longest <= batch_tokens``."""
    batches: list[Rows] = []
    start = 0
    while start < len(order):
        window = lengths[start : start + batch_tokens // max(1, int(lengths[start]))]
        sizes = np.arange(1, len(window) + 1) * window
        rows = int(np.searchsorted(sizes, batch_tokens, side="right"))
        if not batches:
            rows = max(1, int(rows * first_share))
        batches.append(order[start : start + rows])
        start += rows
    return batches
