"""Translation as a task: batches of pairs, label-smoothed cross-entropy, scores of freely decoded text.

Shapes: B pairs, S source tokens, T target tokens, E width of the model.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from saccade.data.batches import Placed, Position, Rows, TokenBatches, in_length_order, pad
from saccade.data.tokenizers import Tokenizer
from saccade.data.unmerging import Unmerging
from saccade.errors import DataError, ModelError
from saccade.evaluation.translation import score_translations
from saccade.models import Seq2Seq
from saccade.tasks.base import BATCH_TOKENS, LEAST_BATCHES, Facts, Loss, Sample, Validation
from saccade.tasks.corpus import Corpus
from saccade.tasks.translator import DecodeSettings, Member, Translator

SAMPLES = 5
EXAMPLES = 3

Ids = Sequence[int] | npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class TranslationBatch:
    """Padded tokens: the source and its end, what the decoder reads (start first), what it must write (end last)."""

    source_BS: Tensor
    read_BT: Tensor
    written_BT: Tensor


class TranslationTask:
    """Learns to translate a prepared corpus."""

    def __init__(
        self,
        corpus: Corpus,
        *,
        batch_tokens: int | None,
        seed: int,
        label_smoothing: float,
        decode: DecodeSettings,
        valid_sentences: int,
        device: torch.device,
        bpe_dropout: float = 0.0,
    ) -> None:
        self.corpus = corpus
        self.label_smoothing = label_smoothing
        # Validation is asked for many times over: greedy is close to beam search at a fraction of its cost.
        self.decode = replace(decode, beam=1, nbest=1)
        self.valid_sentences = valid_sentences
        self.device = device
        self.unmerging = [
            Unmerging(tokenizer, bpe_dropout)
            for tokenizer in (corpus.tokenizers.source, corpus.tokenizers.target)
            if bpe_dropout
        ]
        # Both sides get one more token: the source its end, the target its start or its end.
        lengths_source, lengths_target = corpus.source.lengths + 1, corpus.target.lengths + 1
        self.epoch_tokens = int(lengths_target.sum())
        longest = np.maximum(lengths_source, lengths_target)
        fitting = max(int(longest.max()), min(BATCH_TOKENS, int(longest.sum()) // LEAST_BATCHES))
        self.batches = TokenBatches(lengths_source, lengths_target, batch_tokens=batch_tokens or fitting, seed=seed)

    def stream(self, start: Position) -> Iterator[Placed]:
        return self.batches.stream(start)

    def lengths(self, rows: Rows) -> Rows:
        return self.corpus.source.lengths[rows] + self.corpus.target.lengths[rows]

    def tokens(self, rows: Rows) -> int:
        return int(self.corpus.target.lengths[rows].sum()) + len(rows)

    def loss(self, model: nn.Module, rows: Rows) -> Loss:
        sides = [[ids[i] for i in rows] for ids in (self.corpus.source, self.corpus.target)]
        if self.unmerging:
            random = np.random.Generator(np.random.SFC64(int(torch.randint(2**63 - 1, ()))))
            limits = (_seq2seq(model).max_source_length, _seq2seq(model).max_target_length)
            sides = [
                unmerging(side, random, longest=None if limit is None else limit - 1)
                for unmerging, side, limit in zip(self.unmerging, sides, limits, strict=True)
            ]
        batch = self.batch(*sides)
        return translation_loss(_seq2seq(model), batch, label_smoothing=self.label_smoothing)

    def describe(self, rows: Rows) -> Sequence[str]:
        tokenizers = self.corpus.tokenizers
        return [
            f"{tokenizers.source.decode(self.corpus.source[i])!r} → {tokenizers.target.decode(self.corpus.target[i])!r}"
            for i in rows
        ]

    def validate(self, model: nn.Module) -> Validation:
        loss = self._valid_loss(_seq2seq(model))  # first: spoilt weights write no text at all
        translator = Translator([Member(_seq2seq(model), self.corpus.tokenizers)])
        pairs = self.corpus.valid[: self.valid_sentences]
        found = translator.translate([pair.source for pair in pairs], self.decode)
        hypotheses, references = [one.text for one in found], [pair.target for pair in pairs]
        scores = score_translations(hypotheses, references, resamples=0)
        return Validation(
            loss=loss,
            scores={"bleu": scores.bleu.value, "chrf": scores.chrf.value},
            samples=tuple(
                Sample(pair.source, pair.target, hypothesis)
                for pair, hypothesis in zip(pairs[:SAMPLES], hypotheses, strict=False)
            ),
        )

    def batch(self, sources: Sequence[Ids], targets: Sequence[Ids]) -> TranslationBatch:
        source, target = self.corpus.tokenizers.source, self.corpus.tokenizers.target
        return TranslationBatch(
            pad(sources, source.pad_id, suffix=[source.eos_id]).to(self.device),
            pad(targets, target.pad_id, prefix=[target.bos_id]).to(self.device),
            pad(targets, target.pad_id, suffix=[target.eos_id]).to(self.device),
        )

    def check_fits(self, model: nn.Module) -> None:
        """Every sentence, of training and validation, within what the model's positions allow."""
        for side, limit, lengths, valid in (
            ("source", _seq2seq(model).max_source_length, self.corpus.source.lengths, self._valid_sources),
            ("target", _seq2seq(model).max_target_length, self.corpus.target.lengths, self._valid_targets),
        ):
            longest = 1 + max(int(lengths.max()), *(len(ids) for ids in valid))
            if limit is not None and longest > limit:
                raise DataError(
                    f"the longest {side} has {longest:,} tokens with its mark, but the model's positions end at "
                    f"{limit:,}: raise model.max_length, lower data.max_length, or shorten data.valid"
                )

    def facts(self) -> Facts:
        corpus = self.corpus
        source, target = corpus.tokenizers.source, corpus.tokenizers.target
        return Facts(
            examples=len(corpus.source),
            valid=len(corpus.valid),
            unit="pairs",
            vocabulary=(source.vocab_size, target.vocab_size),
            shown=tuple(
                {"source": source.pieces(corpus.source[i]), "target": target.pieces(corpus.target[i])}
                for i in range(min(EXAMPLES, len(corpus.source)))
            ),
        )

    @cached_property
    def _valid_sources(self) -> list[Ids]:
        return _encoded(self.corpus.tokenizers.source, [pair.source for pair in self.corpus.valid])

    @cached_property
    def _valid_targets(self) -> list[Ids]:
        return _encoded(self.corpus.tokenizers.target, [pair.target for pair in self.corpus.valid])

    def _valid_loss(self, model: Seq2Seq) -> float:
        sources, targets = self._valid_sources, self._valid_targets
        lengths = np.array([max(len(s), len(t)) + 1 for s, t in zip(sources, targets, strict=True)])
        total, tokens = 0.0, 0
        for rows in in_length_order(lengths, max(self.decode.batch_tokens, int(lengths.max()))):
            batch = self.batch([sources[i] for i in rows], [targets[i] for i in rows])
            loss = translation_loss(model, batch, label_smoothing=0.0)
            total, tokens = total + loss.total.item(), tokens + loss.tokens
        if not math.isfinite(total):
            raise ModelError(f"the validation loss is {total}: the model's weights are spoilt")
        return total / tokens


def translation_loss(model: Seq2Seq, batch: TranslationBatch, *, label_smoothing: float) -> Loss:
    """Σ over real target tokens of −log p(token), smoothed; padding is never projected to the vocabulary."""
    states_BTE = model(batch.source_BS, batch.read_BT)
    real_BT = batch.written_BT != model.pad_id
    total = model.loss(states_BTE[real_BT], batch.written_BT[real_BT], label_smoothing=label_smoothing)
    return Loss(total, int(real_BT.sum()))


def _encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Ids]:
    return [np.asarray(ids, dtype=np.int64) for ids in tokenizer.encode_batch(texts)]


def _seq2seq(model: nn.Module) -> Seq2Seq:
    if not isinstance(model, Seq2Seq):
        raise ModelError(f"translation needs a sequence-to-sequence model, got {type(model).__name__}")
    return model
