"""Captioning as a task: batches of captions with their pictures, cross-entropy, scores of freely written captions.

Shapes: B captions, T tokens, E width of the model, M places in captions where a word of a group is said.

A picture is read once for all of its captions in a batch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from saccade.data.batches import Rows, in_length_order, pad
from saccade.errors import DataError, ModelError
from saccade.evaluation.captions import score_captions
from saccade.models import Captioner, Guide
from saccade.tasks.base import Facts, Loss, Sample, Validation
from saccade.tasks.caption_corpus import CaptionCorpus
from saccade.tasks.caption_reward import CaptionWorth
from saccade.tasks.companions import companions
from saccade.tasks.describer import CaptionMember, Describer, never_written
from saccade.tasks.equalizing import Equalizing
from saccade.tasks.guiding import Guiding
from saccade.tasks.reward import RewardSettings, Writing, expected_risk, most_tokens
from saccade.tasks.rows import TextRows
from saccade.tasks.translation import Ids
from saccade.tasks.translator import DecodeSettings
from saccade.tasks.views import Way
from saccade.tasks.vision import PictureRows

SAMPLES = 5
EXAMPLES = 3
Value = TypeVar("Value")


@dataclass(frozen=True)
class SharedPictures:
    """Pictures as the model reads them, each once, their numbers and ways, and which of them each caption speaks of."""

    pictures: Tensor
    numbers: list[int]
    ways: list[Way]
    picture_B: Tensor

    def for_captions(self, of_pictures: Sequence[Value]) -> list[Value]:
        """What is known of each picture, for each caption that speaks of it."""
        return [of_pictures[picture] for picture in self.picture_B.tolist()]


@dataclass(frozen=True)
class CaptionBatch:
    """Captions and what they speak of, what the decoder reads (start first) and what it must write (end last)."""

    captions: Sequence[Ids]
    shown: SharedPictures
    read_BT: Tensor
    written_BT: Tensor


class CaptionTask(TextRows):
    """Learns to say of a picture what people say."""

    def __init__(
        self,
        corpus: CaptionCorpus,
        *,
        batch_tokens: int | None,
        seed: int,
        label_smoothing: float,
        decode: DecodeSettings,
        valid_pictures: int,
        device: torch.device,
        equalizing: Equalizing | None = None,
        reward: RewardSettings | None = None,
        guide: float = 0.0,
    ) -> None:
        lengths = corpus.captions.lengths + 1
        self._picture_of = corpus.picture_of.all()
        groups = companions(self._picture_of, lengths)
        super().__init__(lengths, batch_tokens=batch_tokens, seed=seed, groups=groups)
        self.corpus = corpus
        self.label_smoothing = label_smoothing
        # Validation is asked for many times over: greedy is close to beam search at a fraction of its cost.
        self.decode = replace(decode, beam=1, nbest=1)
        self.valid_pictures = valid_pictures
        self.device = device
        self.equalizing = equalizing
        self.reward = reward
        self.guiding = Guiding(corpus.tokenizer, corpus.train, weight=guide) if guide else None
        self._worth = (
            None
            if reward is None
            else CaptionWorth([one.captions for one in corpus.train], corpus.tokenizer, reward=reward.reward)
        )
        if equalizing is not None and corpus.hidden is None:
            raise DataError(
                "equalizing needs pictures with the persons hidden, which this corpus does not have: give "
                "train.equalize when the training begins"
            )

    def work(self, rows: Rows) -> Sequence[int]:
        """B, B·T, B·T², the tokens without padding, which alone meet the vocabulary, and the pictures."""
        return *super().work(rows), self.tokens(rows), len(np.unique(self._picture_of[rows]))

    def probes(self) -> Sequence[Rows]:
        """Also two captions of one picture, where there are such."""
        _, first, counts = np.unique(self._picture_of, return_index=True, return_counts=True)
        shared = np.flatnonzero(self._picture_of == self._picture_of[first[counts.argmax()]])[:2]
        return [*super().probes(), shared]

    def loss(self, model: nn.Module, rows: Rows) -> Loss:
        captioner = _captioner(model)
        numbers = self._picture_of[rows].tolist()
        batch = self._batch(self.corpus.pictures, numbers, [self.corpus.captions[int(row)] for row in rows])
        if self.reward is None or self._worth is None:
            return Loss(self._surprise(captioner, batch), self.tokens(rows))
        share = self.reward.share
        total = share * self._risk(captioner, batch, self._worth, samples=self.reward.samples)
        if share < 1:
            total = total + (1 - share) * self._surprise(captioner, batch)
        return Loss(total, self.tokens(rows))

    def _surprise(self, model: Captioner, batch: CaptionBatch) -> Tensor:
        """Σ −log p(word), and what the way of attending and equalizing add."""
        states_BTE = model(batch.shown.pictures, batch.read_BT, batch.shown.picture_B)
        real_BT = batch.written_BT != model.pad_id
        states_NE, written_N = states_BTE[real_BT], batch.written_BT[real_BT]
        total = model.loss(states_NE, written_N, label_smoothing=self.label_smoothing)
        guide = None if self.guiding is None else self._guide(model, self.guiding, batch)
        total = total + model.take_attention_loss(states_NE, written_N, real_BT, guide)
        if self.equalizing is not None:
            total = total + self._equal(model, self.equalizing, batch, states_BTE)
        return total

    def _guide(self, model: Captioner, guiding: Guiding, batch: CaptionBatch) -> Guide:
        """Where attention should lie, in the pictures as they are seen."""
        shown = batch.shown
        guide = guiding.guide(
            shown.for_captions(shown.numbers),
            batch.captions,
            shown.for_captions(shown.ways),
            length=batch.written_BT.shape[1],
            side=math.isqrt(model.places_count),
        )
        return replace(guide, places_BTG=guide.places_BTG.to(self.device))

    def _risk(self, model: Captioner, batch: CaptionBatch, worth: CaptionWorth, *, samples: int) -> Tensor:
        """What captions that the model writes of each picture of the batch fall short of.

        They are learned as they were written: hard attention looks where it looked then, and draws no other places.
        """
        tokenizer, shown = self.corpus.tokenizer, batch.shown
        drawn_N = torch.arange(len(shown.numbers), device=self.device).repeat_interleave(samples)
        writing = Writing(
            model,
            shown.pictures,
            lambda read_NT: model(shown.pictures, read_NT, drawn_N),
            limits=[most_tokens(batch.read_BT.shape[1])] * len(shown.numbers),
            bos_id=tokenizer.bos_id,
            eos_id=tokenizer.eos_id,
            never=never_written(tokenizer),
        )
        with model.settled():
            risk = expected_risk(writing, lambda place, texts: worth(shown.numbers[place], texts), samples=samples)
        model.forget_attention()
        return risk

    def _equal(
        self,
        model: Captioner,
        equalizing: Equalizing,
        batch: CaptionBatch,
        states_BTE: Tensor,
    ) -> Tensor:
        """What equalizing adds; captions that say no word of a group add nothing, and are not read again.

        Nor are those whose picture has no box to paint over: with the person in view there is nothing to confuse.
        """
        group_BT = equalizing.group_of(batch.written_BT)
        said_BT = group_BT >= 0
        if not bool(said_BT.any()):
            return states_BTE.new_zeros(())
        shares_MA = equalizing.shares(model.logits(states_BTE[said_BT]))
        added = equalizing.confident * equalizing.unsure(shares_MA, group_BT[said_BT])
        numbers = batch.shown.for_captions(batch.shown.numbers)
        blind = [
            row
            for row, (number, speaks) in enumerate(zip(numbers, said_BT.any(dim=1).tolist(), strict=True))
            if speaks and self.corpus.train[number].hidden
        ]
        if self.corpus.hidden is None or not blind:
            return added
        hidden = self._shown(self.corpus.hidden, [numbers[row] for row in blind])
        blind_STE = model(hidden.pictures, batch.read_BT[blind], hidden.picture_B)
        model.forget_attention()
        blind_MA = equalizing.shares(model.logits(blind_STE[said_BT[blind]]))
        return added + equalizing.confusion * equalizing.confused(blind_MA)

    def describe(self, rows: Rows) -> Sequence[str]:
        corpus = self.corpus
        return [
            f"{corpus.train[int(self._picture_of[row])].name}: {corpus.tokenizer.decode(corpus.captions[int(row)])!r}"
            for row in rows
        ]

    def validate(self, model: nn.Module) -> Validation:
        captioner = _captioner(model)
        loss = self._valid_loss(captioner)  # first: spoilt weights write no text at all
        shown = self.corpus.valid[: self.valid_pictures]
        member = CaptionMember(captioner, self.corpus.tokenizer, self.corpus.valid_pictures.batch)
        written = [one.text for one in Describer([member]).caption(len(shown), self.decode)]
        scores = score_captions(written, [one.captions for one in shown], resamples=0, with_meteor=False).scores
        found = {score.name: score.value for score in scores}
        return Validation(
            loss=loss,
            scores={"cider": found["CIDEr"], "bleu": found["BLEU-4"]},
            samples=tuple(
                Sample(one.name, " / ".join(one.captions), text)
                for one, text in zip(shown[:SAMPLES], written, strict=False)
            ),
        )

    def check_fits(self, model: nn.Module) -> None:
        captioner = _captioner(model)
        if self.guiding is not None and not captioner.can_be_guided:
            raise ModelError(
                "train.guide means nothing to this captioner, which sees the whole picture as one vector: take "
                "another, or leave it out"
            )
        limit = captioner.max_target_length
        longest = 1 + int(self.corpus.captions.lengths.max())
        if limit is not None and longest > limit:
            raise DataError(
                f"the longest caption has {longest:,} tokens with its mark, but the model's positions end at {limit:,}"
            )

    def facts(self) -> Facts:
        corpus = self.corpus
        return Facts(
            examples=len(corpus.captions),
            valid=len(corpus.valid),
            unit="captions",
            vocabulary=(corpus.tokenizer.vocab_size,),
            shown=tuple(
                {"caption": corpus.tokenizer.pieces(corpus.captions[row])}
                for row in range(min(EXAMPLES, len(corpus.captions)))
            ),
        )

    def _shown(self, source: PictureRows, numbers: Sequence[int]) -> SharedPictures:
        """Each picture once, in one of the ways to see it, as the global generator says."""
        found, picture_B = np.unique(numbers, return_inverse=True)
        different: list[int] = found.tolist()
        several = len(source.ways) > 1
        drawn = torch.randint(len(source.ways), (len(different),)).tolist() if several else [0] * len(different)
        pictures = source.batch(different, drawn)
        ways = [source.ways[way] for way in drawn]
        return SharedPictures(pictures.to(self.device), different, ways, torch.from_numpy(picture_B).to(self.device))

    def _batch(self, source: PictureRows, numbers: Sequence[int], captions: Sequence[Ids]) -> CaptionBatch:
        tokenizer = self.corpus.tokenizer
        return CaptionBatch(
            captions,
            self._shown(source, numbers),
            pad(captions, tokenizer.pad_id, prefix=[tokenizer.bos_id]).to(self.device),
            pad(captions, tokenizer.pad_id, suffix=[tokenizer.eos_id]).to(self.device),
        )

    def _valid_loss(self, model: Captioner) -> float:
        encoded = [self.corpus.tokenizer.encode_batch(one.captions) for one in self.corpus.valid]
        captions = [(number, ids) for number, every in enumerate(encoded) for ids in every]
        lengths = np.array([len(ids) + 1 for _, ids in captions])
        total, tokens = 0.0, 0
        for rows in in_length_order(lengths, max(self.decode.batch_tokens, int(lengths.max()))):
            numbers = [captions[int(row)][0] for row in rows]
            batch = self._batch(self.corpus.valid_pictures, numbers, [captions[int(row)][1] for row in rows])
            real_BT = batch.written_BT != model.pad_id
            states_BTE = model(batch.shown.pictures, batch.read_BT, batch.shown.picture_B)
            total += model.loss(states_BTE[real_BT], batch.written_BT[real_BT]).item()
            tokens += int(real_BT.sum())
        if not math.isfinite(total):
            raise ModelError(f"the validation loss is {total}: the model's weights are spoilt")
        return total / tokens


def _captioner(model: nn.Module) -> Captioner:
    if not isinstance(model, Captioner):
        raise ModelError(f"captioning needs a captioner, got {type(model).__name__}")
    return model
