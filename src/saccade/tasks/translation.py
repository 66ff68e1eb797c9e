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
from saccade.data.examples import Pair
from saccade.data.unmerging import Unmerging
from saccade.errors import DataError, ModelError
from saccade.evaluation.sentences import TRANSLATION_REWARDS
from saccade.evaluation.translation import score_translations
from saccade.layers import consistency_loss
from saccade.models import Seq2Seq
from saccade.tasks.base import BATCH_TOKENS, LEAST_BATCHES, Facts, Loss, Sample, Validation
from saccade.tasks.corpus import Corpus
from saccade.tasks.reward import RewardSettings, Writing, expected_risk, most_tokens
from saccade.tasks.translator import DecodeSettings, Member, Translator
from saccade.tasks.unknown import copied_from

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
        consistency: float = 0.0,
        reward: RewardSettings | None = None,
    ) -> None:
        self.corpus = corpus
        self.label_smoothing = label_smoothing
        self.consistency = consistency
        self.reward = reward
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

    def work(self, rows: Rows) -> Sequence[int]:
        """B, B·S, B·T, B·S², B·T², B·S·T and the tokens without padding, which alone meet the vocabulary."""
        count = len(rows)
        source = int(self.corpus.source.lengths[rows].max()) + 1
        target = int(self.corpus.target.lengths[rows].max()) + 1
        pairs = (source**2, target**2, source * target)
        return count, count * source, count * target, *(count * pair for pair in pairs), self.tokens(rows)

    def probes(self) -> Sequence[Rows]:
        """Sentences of several lengths alone, and short ones beside long ones, which are padding for the most part."""
        source, target = self.corpus.source.lengths, self.corpus.target.lengths
        by_length = np.argsort(source + target, kind="stable")
        few = [int(by_length[int(share * (len(by_length) - 1))]) for share in (0.0, 0.25, 0.5, 0.75, 0.95)]
        uneven = [int((source - target).argmin()), int((source - target).argmax())]
        together = [(few[0], few[-1]), (few[1], few[3]), (uneven[0], uneven[1])]
        return [np.array(rows) for rows in (*((row,) for row in (*few, *uneven)), *together)]

    def loss(self, model: nn.Module, rows: Rows) -> Loss:
        seq2seq = _seq2seq(model)
        sides = [[ids[i] for i in rows] for ids in (self.corpus.source, self.corpus.target)]
        if self.unmerging:
            random = np.random.Generator(np.random.SFC64(int(torch.randint(2**63 - 1, ()))))
            limits = (seq2seq.max_source_length, seq2seq.max_target_length)
            sides = [
                unmerging(side, random, longest=None if limit is None else limit - 1)
                for unmerging, side, limit in zip(self.unmerging, sides, limits, strict=True)
            ]
        batch = self.batch(*sides)
        likelihood = (
            consistent_loss(seq2seq, batch, self.consistency, label_smoothing=self.label_smoothing)
            if self.consistency
            else translation_loss(seq2seq, batch, label_smoothing=self.label_smoothing)
        )
        if self.reward is None:
            return likelihood
        target = self.corpus.tokenizers.target
        references = [self.corpus.target[i].tolist() for i in rows]
        reward, samples = TRANSLATION_REWARDS[self.reward.reward], self.reward.samples
        writing = Writing(
            seq2seq,
            batch.source_BS,
            lambda read_NT: seq2seq(batch.source_BS.repeat_interleave(samples, dim=0), read_NT),
            limits=[most_tokens(len(reference)) for reference in references],
            bos_id=target.bos_id,
            eos_id=target.eos_id,
        )
        risk = expected_risk(
            writing, lambda place, texts: [reward(text, references[place]) for text in texts], samples=samples
        )
        share = self.reward.share
        return Loss((1 - share) * likelihood.total + share * risk, likelihood.tokens)

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
        found = translator.translate([pair.source for pair in pairs], self.decode, into=[pair.into for pair in pairs])
        hypotheses = [one.text for one in found]
        return Validation(
            loss=loss,
            scores=_scores(pairs, hypotheses, lowercased=self.corpus.tokenizers.target.lowercases),
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
        """Every sentence, of training and validation, within what the model's positions allow.

        What validation will ask of the model is asked here, before hours are spent.
        """
        if self.decode.replace_unknown:
            copied_from(model)
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
        valid = self.corpus.valid
        return _arrays(self.corpus.tokenizers.read([pair.source for pair in valid], [pair.into for pair in valid]))

    @cached_property
    def _valid_targets(self) -> list[Ids]:
        return _arrays(self.corpus.tokenizers.target.encode_batch([pair.target for pair in self.corpus.valid]))

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
    """Σ over real target tokens of −log p(token), smoothed; padding is never projected to the vocabulary.

    Layers of experts add their balance loss, once for each token, since the loop divides by the tokens.
    """
    states_BTE = model(batch.source_BS, batch.read_BT)
    real_BT = batch.written_BT != model.pad_id
    total = model.loss(states_BTE[real_BT], batch.written_BT[real_BT], label_smoothing=label_smoothing)
    tokens = int(real_BT.sum())
    return Loss(total + tokens * model.take_balance_loss(batch.source_BS, batch.written_BT), tokens)


def consistent_loss(model: Seq2Seq, batch: TranslationBatch, consistency: float, *, label_smoothing: float) -> Loss:
    """R-Drop: each pair is in the batch twice, each time with other dropout, and both must say the same."""
    source_BS, read_BT = (torch.cat((tokens, tokens)) for tokens in (batch.source_BS, batch.read_BT))
    real_BT = batch.written_BT != model.pad_id
    states_2NE = model(source_BS, read_BT).unflatten(0, (2, -1))[:, real_BT]
    total = consistency_loss(
        states_2NE,
        model.output.weight,
        batch.written_BT[real_BT],
        label_smoothing=label_smoothing,
        consistency=consistency,
    )
    tokens = int(real_BT.sum())
    twice_BT = torch.cat((batch.written_BT, batch.written_BT))
    return Loss(total + tokens * model.take_balance_loss(source_BS, twice_BT), tokens)


def _scores(pairs: Sequence[Pair], hypotheses: Sequence[str], *, lowercased: bool) -> dict[str, float]:
    """``bleu`` and ``chrf`` of all pairs; with several directions also of each, as ``bleu.de-en``.

    A model of lower-cased text is watched against lower-cased references: it can write no others.
    """
    wanted = [pair.target.lower() if lowercased else pair.target for pair in pairs]
    directions = dict.fromkeys(pair.direction for pair in pairs)
    found: dict[str, float] = {}
    for direction in (None, *directions) if len(directions) > 1 else (None,):
        rows = [i for i, pair in enumerate(pairs) if direction is None or pair.direction == direction]
        scores = score_translations([hypotheses[i] for i in rows], [wanted[i] for i in rows], resamples=0)
        ending = "" if direction is None else f".{direction}"
        found |= {f"bleu{ending}": scores.bleu.value, f"chrf{ending}": scores.chrf.value}
    return found


def _arrays(sequences: Sequence[Sequence[int]]) -> list[Ids]:
    return [np.asarray(ids, dtype=np.int64) for ids in sequences]


def _seq2seq(model: nn.Module) -> Seq2Seq:
    if not isinstance(model, Seq2Seq):
        raise ModelError(f"translation needs a sequence-to-sequence model, got {type(model).__name__}")
    return model
