"""A tiny model whose every probability is known: a random distribution for each sentence and prefix."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

BOS, EOS, VOCAB = 0, 1, 5
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Row:
    """Which sentence a row belongs to, and what it has written."""

    sentence: int
    prefix: tuple[int, ...]


class Chain:
    """log p(next | sentence, prefix), drawn from the seed."""

    def __init__(self, seed: int, sharpness: float = 1.0) -> None:
        self.seed = seed
        self.sharpness = sharpness
        self._known: dict[Row, np.ndarray] = {}

    def log_probs(self, row: Row) -> np.ndarray:
        if row not in self._known:
            logits = self.sharpness * np.random.default_rng([self.seed, row.sentence, *row.prefix]).normal(size=VOCAB)
            self._known[row] = logits - np.log(np.exp(logits).sum())
        return self._known[row]

    def everything(self, sentence: int, max_length: int) -> Iterator[tuple[tuple[int, ...], float, bool]]:
        """Every text that may come out, with its log-probability and whether it is finished."""
        open_texts: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
        for _ in range(max_length):
            longer: list[tuple[tuple[int, ...], float]] = []
            for prefix, total in open_texts:
                each = self.log_probs(Row(sentence, prefix))
                yield prefix, total + float(each[EOS]), True
                longer += [((*prefix, t), total + float(each[t])) for t in range(VOCAB) if t != EOS]
            open_texts = longer
        for prefix, total in open_texts:
            yield prefix, total, False


class ChainSteps:
    """The chain as a decoding under way; ``history[t]`` is what every row had written when it was asked at step t."""

    def __init__(self, chain: Chain, sentences: list[int], beam: int) -> None:
        self.chain = chain
        self.rows = [Row(sentence, ()) for sentence in sentences for _ in range(beam)]
        self.begun = [False] * len(self.rows)
        self.beam = beam
        self.history: list[list[Row]] = []

    def log_probs(self, tokens_N: Tensor) -> Tensor:
        assert len(tokens_N) == len(self.rows)
        written = list(zip(self.rows, self.begun, tokens_N.tolist(), strict=True))
        assert all(begun or token == BOS for _, begun, token in written)
        self.rows = [Row(row.sentence, (*row.prefix, token)) if begun else row for row, begun, token in written]
        self.begun = [True] * len(self.rows)
        self.history.append(self.rows)
        return torch.tensor(np.stack([self.chain.log_probs(row) for row in self.rows]), dtype=torch.float32)

    def reorder(self, rows_N: Tensor) -> None:
        moved = [self.rows[row] for row in rows_N.tolist()]
        assert [row.sentence for row in moved] == [row.sentence for row in self.rows]
        self.rows = moved

    def keep(self, sentences_B: Tensor, rows_N: Tensor) -> None:
        left = [self.rows[sentence * self.beam].sentence for sentence in sentences_B.tolist()]
        self.rows = [self.rows[row] for row in rows_N.tolist()]
        self.begun = [True] * len(self.rows)
        assert [row.sentence for row in self.rows] == [sentence for sentence in left for _ in range(self.beam)]

    def join(self, new: Self) -> None:
        self.rows = [*self.rows, *new.rows]
        self.begun = [*self.begun, *new.begun]

    def replace(self, places_P: Tensor, new: Self) -> None:
        rows = [place * self.beam + beam for place in places_P.tolist() for beam in range(self.beam)]
        for row, other in zip(rows, new.rows, strict=True):
            self.rows[row], self.begun[row] = other, False


def ranked(log_probability: float, length: int, length_penalty: float) -> float:
    return log_probability / math.pow(length, length_penalty)
