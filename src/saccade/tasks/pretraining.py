"""Pretraining of BERT as a task: hidden words are found, and whether the second text follows the first is told.

Shapes: B pairs, T tokens, N hidden words, E width of the model, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from saccade.data.batches import Rows, in_length_order
from saccade.errors import DataError, ModelError
from saccade.models import MaskedBert
from saccade.tasks.base import Facts, Loss, Sample, Validation
from saccade.tasks.hidden_examples import (
    MARKS,
    Drawing,
    HiddenBatch,
    HiddenExample,
    answers,
    hidden_batch,
    stretches_of,
)
from saccade.tasks.objectives import PairName, chosen
from saccade.tasks.rows import TextRows
from saccade.tasks.sentence_corpus import SentenceCorpus

SAMPLES = 5
SHOWN = 200  # characters of a row in messages


@dataclass(frozen=True)
class Found:
    """Summed losses and right answers of some examples."""

    words_loss: float
    words_right: int
    next_loss: float
    next_right: int

    def __add__(self, other: "Found") -> "Found":
        return Found(
            self.words_loss + other.words_loss,
            self.words_right + other.words_right,
            self.next_loss + other.next_loss,
            self.next_right + other.next_right,
        )


class PretrainingTask(TextRows):
    """Learns to find hidden words and to tell what follows, on the documents of a prepared corpus."""

    def __init__(
        self,
        corpus: SentenceCorpus,
        *,
        context: int,
        batch_tokens: int | None,
        seed: int,
        hidden: float,
        pairs: PairName,
        valid_tokens: int,
        device: torch.device,
    ) -> None:
        self.corpus = corpus
        self.context = context
        self.drawing = Drawing(corpus.tokenizer, context, hidden, pairs)
        self.valid_tokens = valid_tokens
        self.device = device
        self.stretches = stretches_of(corpus.train, corpus.tokenizer, context)
        super().__init__(self.stretches.lengths + MARKS, batch_tokens=batch_tokens, seed=seed)

    def work(self, rows: Rows) -> Sequence[int]:
        """With the hidden words, which alone meet the vocabulary; as if no text came from elsewhere."""
        words = int(chosen(self.lengths(rows) - MARKS, self.drawing.hidden).sum())
        return *super().work(rows), words

    def loss(self, model: nn.Module, rows: Rows) -> Loss:
        """The mean over hidden words and the mean over pairs, times the tokens that the loop divides by."""
        random = np.random.Generator(np.random.SFC64(int(torch.randint(2**63 - 1, ()))))
        batch = self._batch([self.drawing.example(self.stretches, int(row), random) for row in rows])
        bert = _masked_bert(model)
        states_BTE = bert(batch.reading)
        words = bert.words.loss(states_BTE.flatten(0, 1)[batch.places_N], batch.words_N) / len(batch.words_N)
        following = cross_entropy(bert.next(bert.pooler(states_BTE)).float(), batch.follows_B)
        tokens = self.tokens(rows)
        return Loss((words + following) * tokens, tokens)

    def describe(self, rows: Rows) -> Sequence[str]:
        stretches, decode = self.stretches, self.corpus.tokenizer.decode
        return [
            repr(
                decode(np.concatenate(stretches.together(int(stretches.first[row]), int(stretches.last[row]))))[:SHOWN]
            )
            for row in rows.tolist()
        ]

    def validate(self, model: nn.Module) -> Validation:
        """On pairs and hidden words that are the same every time."""
        bert, examples = _masked_bert(model), self._valid
        found = Found(0.0, 0, 0.0, 0)
        lengths = np.array([len(one.text) for one in examples])
        said: dict[int, list[int]] = {}
        for rows in in_length_order(lengths, max(self.valid_tokens, int(lengths.max()))):
            batch = self._batch([examples[row] for row in rows])
            given = answers(bert, batch)
            best_N = given.words_NV.argmax(dim=-1)
            found += Found(
                cross_entropy(given.words_NV, batch.words_N, reduction="sum").item(),
                int((best_N == batch.words_N).sum()),
                cross_entropy(given.follows_B2, batch.follows_B, reduction="sum").item(),
                int((given.follows_B2.argmax(dim=-1) == batch.follows_B).sum()),
            )
            ends = np.cumsum([len(examples[row].words) for row in rows])
            said |= {int(row): part.tolist() for row, part in zip(rows, np.split(best_N.cpu(), ends[:-1]), strict=True)}
        words, pairs = sum(len(one.words) for one in examples), len(examples)
        return Validation(
            loss=found.words_loss / words,
            scores={
                "masked_accuracy": 100 * found.words_right / words,
                "next_loss": found.next_loss / pairs,
                "next_accuracy": 100 * found.next_right / pairs,
            },
            samples=tuple(self._sample(examples[row], said[row]) for row in range(min(SAMPLES, pairs))),
        )

    def check_fits(self, model: nn.Module) -> None:
        limit = _masked_bert(model).max_length
        if self.context > limit:
            raise DataError(
                f"data.context is {self.context:,} tokens, but the model's positions end at {limit:,}: "
                "raise model.max_length or lower data.context"
            )

    def facts(self) -> Facts:
        tokenizer = self.corpus.tokenizer
        random = np.random.Generator(np.random.SFC64(0))
        shown = [self.drawing.example(self.stretches, row, random) for row in range(min(3, len(self.stretches)))]
        return Facts(
            examples=len(self.stretches),
            valid=len(self.corpus.valid),
            unit="stretches",
            vocabulary=(tokenizer.vocab_size,),
            shown=tuple({"text": tokenizer.pieces(one.text.tokens)} for one in shown),
        )

    @cached_property
    def _valid(self) -> list[HiddenExample]:
        random = np.random.Generator(np.random.SFC64(0))
        stretches = stretches_of(self.corpus.valid, self.corpus.tokenizer, self.context)
        return [self.drawing.example(stretches, row, random) for row in range(len(stretches))]

    def _batch(self, examples: Sequence[HiddenExample]) -> HiddenBatch:
        return hidden_batch(examples, self.corpus.tokenizer, self.device)

    def _sample(self, example: HiddenExample, said: Sequence[int]) -> Sample:
        """The text as it was read, the words that were hidden, and those that were found."""
        tokenizer = self.corpus.tokenizer
        return Sample(
            " ".join(tokenizer.pieces(example.text.tokens)),
            " ".join(tokenizer.pieces(example.words)),
            " ".join(tokenizer.pieces(said)),
        )


def _masked_bert(model: nn.Module) -> MaskedBert:
    if not isinstance(model, MaskedBert):
        raise ModelError(f"pretraining needs a BERT with its heads for it, got {type(model).__name__}")
    return model
