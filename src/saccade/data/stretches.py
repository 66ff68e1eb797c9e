"""Neighbouring sentences of a document put together until a row is full.

A corpus of documents is a stream of ids in which every sentence ends with the end mark. A stretch is some sentences in
a row, of one document, that fit together into a given number of tokens.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.errors import DataError

Numbers = npt.NDArray[np.int64]


class Stretches:
    """All stretches of a corpus. A row number stands for one of them."""

    def __init__(
        self, tokens: npt.NDArray[np.integer[Any]], document_lengths: Numbers, *, eos_id: int, most: int
    ) -> None:
        """``tokens`` of all documents, one after another.

        A stretch has at most ``most`` tokens, end marks not counted; a longer sentence is a stretch alone, and is cut.
        """
        self._tokens = tokens
        ends = np.flatnonzero(tokens == eos_id).astype(np.int64)
        self._starts: Numbers = np.concatenate((np.zeros(1, np.int64), ends + 1))[: len(ends)]
        self._ends: Numbers = ends
        borders = np.cumsum(document_lengths)
        self.document_of: Numbers = np.searchsorted(borders, self._starts, side="right")
        if len(document_lengths) < 2:
            raise DataError(
                f"pairs of sentences are drawn from two documents at least, found {len(document_lengths)}: a blank "
                "line ends a document; set data.documents=line if every line is one"
            )
        first, last = self._put_together(most)
        self.first, self.last = first, last
        lengths = (self._ends - self._starts).astype(np.int64)
        total = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        self.lengths: Numbers = np.minimum(total[last] - total[first], most)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def sentences(self) -> int:
        """How many sentences there are in all documents."""
        return len(self._starts)

    def sentence(self, number: int) -> npt.NDArray[np.int64]:
        """The ids of a sentence, without its end mark."""
        return self._tokens[int(self._starts[number]) : int(self._ends[number])].astype(np.int64)

    def together(self, first: int, last: int) -> tuple[npt.NDArray[np.int64], ...]:
        """The ids of the sentences ``first`` … ``last`` − 1, without end marks."""
        return tuple(self.sentence(number) for number in range(first, last))

    def from_here(self, number: int) -> int:
        """The number after the last sentence of the document that this sentence is in."""
        return int(np.searchsorted(self.document_of, self.document_of[number], side="right"))

    def _put_together(self, most: int) -> tuple[Numbers, Numbers]:
        firsts: list[int] = []
        length, document = most + 1, -1
        lengths: Sequence[int] = (self._ends - self._starts).tolist()
        for number, (tokens, own) in enumerate(zip(lengths, self.document_of.tolist(), strict=True)):
            length += tokens
            if length > most or own != document:
                firsts.append(number)
                length, document = tokens, own
        first = np.array(firsts, dtype=np.int64)
        return first, np.append(first[1:], len(lengths))
