"""Language modelling as a task: rows of running text, the loss of every next token, perplexity on held-out documents.

Documents lie one after another, each with its end mark. A row reads what stands one token before what it must write;
where that is the end of a document it reads the start mark instead, so that a text always begins after ``<s>`` and ends
with ``</s>``, as in decoding. A row may hold several documents: a word then sees the documents before its own.

Shapes: B rows, T tokens, E width of the model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from saccade.data.batches import FILLING, Placed, Position, Rows, pad
from saccade.data.packing import PackedBatches
from saccade.errors import DataError, ModelError
from saccade.evaluation.language import score_language
from saccade.models import LanguageModel
from saccade.tasks.base import BATCH_TOKENS, LEAST_BATCHES, Facts, Loss, Sample, Validation
from saccade.tasks.continuing import continued
from saccade.tasks.language_corpus import LanguageCorpus
from saccade.tasks.surprise import surprise

SAMPLES = 5
PROMPT = 24  # tokens of a validation document that a sample begins with, or half of a shorter one
CONTINUED = 32
SHOWN = 200  # characters of a row in messages

Ids = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class LanguageBatch:
    """Padded rows: what the model reads, what it must write at the same place, and which places are no padding.

    No token stands for padding: whatever fills a row up, ``real_BT`` says that it does not count.
    """

    read_BT: Tensor
    written_BT: Tensor
    real_BT: Tensor


class LanguageTask:
    """Learns to go on with the texts of a prepared corpus."""

    def __init__(
        self,
        corpus: LanguageCorpus,
        *,
        context: int,
        batch_tokens: int | None,
        seed: int,
        label_smoothing: float,
        valid_tokens: int,
        device: torch.device,
    ) -> None:
        self.corpus = corpus
        self.context = context
        self.label_smoothing = label_smoothing
        self.valid_tokens = valid_tokens
        self.device = device
        self.epoch_tokens = corpus.train.tokens
        fitting = max(context, min(BATCH_TOKENS, self.epoch_tokens // LEAST_BATCHES))
        self.batches = PackedBatches(
            self.epoch_tokens, context=context, batch_tokens=batch_tokens or fitting, seed=seed
        )

    def stream(self, start: Position) -> Iterator[Placed]:
        return self.batches.stream(start)

    def lengths(self, rows: Rows) -> Rows:
        return self.batches.lengths(rows)

    def tokens(self, rows: Rows) -> int:
        return int(self.lengths(rows).sum())

    def work(self, rows: Rows) -> Sequence[int]:
        """B, B·T, B·T² and the tokens without padding, which alone meet the vocabulary."""
        count, longest = len(rows), int(self.lengths(rows).max())
        return count, count * longest, count * longest**2, self.tokens(rows)

    def probes(self) -> Sequence[Rows]:
        """Beginnings of the text of several lengths alone, and a short one beside the longest."""
        longest = min(self.context, self.epoch_tokens)
        rows = [length - self.context for length in sorted({max(1, longest // part) for part in (16, 8, 4, 2, 1)})]
        return [*(np.array([row]) for row in rows), np.array([rows[0], rows[-1]])]

    def loss(self, model: nn.Module, rows: Rows) -> Loss:
        return language_loss(_language_model(model), self.batch(rows), label_smoothing=self.label_smoothing)

    def batch(self, rows: Rows) -> LanguageBatch:
        tokenizer = self.corpus.tokenizer
        read, written = [], []
        for row in rows.tolist():
            stretch = self.batches.stretch(row)
            ids = self.corpus.train.between(max(0, stretch.start - 1), stretch.end).astype(np.int64)
            before = ids[:-1] if stretch.start else np.append(tokenizer.eos_id, ids[:-1])
            read.append(np.where(before == tokenizer.eos_id, tokenizer.bos_id, before))
            written.append(ids[1:] if stretch.start else ids)
        read_BT, written_BT = (pad(side, FILLING).to(self.device) for side in (read, written))
        lengths_B = torch.from_numpy(self.lengths(rows)).to(self.device)
        real_BT = torch.arange(read_BT.shape[1], device=self.device) < lengths_B[:, None]
        return LanguageBatch(read_BT, written_BT, real_BT)

    def describe(self, rows: Rows) -> Sequence[str]:
        return [repr(self._text(row)[:SHOWN]) for row in rows.tolist()]

    def validate(self, model: nn.Module) -> Validation:
        language_model = _language_model(model)
        tokenizer = self.corpus.tokenizer
        read = surprise(
            language_model, tokenizer, self.corpus.valid, context=self.context, batch_tokens=self.valid_tokens
        )
        found = score_language(read, resamples=0)
        bits = {"bits_per_byte": found.bits_per_byte, "bits_per_character": found.bits_per_character}
        return Validation(
            loss=found.loss,
            scores={name: score.value for name, score in bits.items() if score is not None},
            samples=self._samples(language_model),
        )

    def check_fits(self, model: nn.Module) -> None:
        """A row within what the model's positions allow."""
        limit = _language_model(model).max_length
        if limit is not None and self.context > limit:
            raise DataError(
                f"data.context is {self.context:,} tokens, but the model's positions end at {limit:,}: "
                "raise model.max_length or lower data.context"
            )

    def facts(self) -> Facts:
        tokenizer, train = self.corpus.tokenizer, self.corpus.train
        return Facts(
            examples=len(train),
            valid=len(self.corpus.valid),
            unit="documents",
            vocabulary=(tokenizer.vocab_size,),
            shown=tuple({"text": tokenizer.pieces(train[i][:SHOWN])} for i in range(min(3, len(train)))),
        )

    def _text(self, row: int) -> str:
        stretch = self.batches.stretch(row)
        return self.corpus.tokenizer.decode(self.corpus.train.between(stretch.start, stretch.end))

    def _samples(self, model: LanguageModel) -> tuple[Sample, ...]:
        tokenizer = self.corpus.tokenizer
        most = PROMPT if model.max_length is None else min(PROMPT, model.max_length // 2)
        encoded = tokenizer.encode_batch([document.text for document in self.corpus.valid[:SAMPLES]])
        cuts = [min(most, (len(ids) + 1) // 2) for ids in encoded]
        prompts = [ids[:cut] for ids, cut in zip(encoded, cuts, strict=True)]
        found = continued(model, tokenizer, prompts, most=CONTINUED)
        return tuple(
            Sample(tokenizer.decode(prompt), tokenizer.decode(ids[cut : cut + CONTINUED]), tokenizer.decode(text))
            for ids, cut, prompt, text in zip(encoded, cuts, prompts, found, strict=True)
        )


def language_loss(model: LanguageModel, batch: LanguageBatch, *, label_smoothing: float) -> Loss:
    """Σ over all tokens of −log p(token), smoothed; padding is never projected to the vocabulary."""
    states_BTE = model(batch.read_BT)
    total = model.loss(states_BTE[batch.real_BT], batch.written_BT[batch.real_BT], label_smoothing=label_smoothing)
    return Loss(total, int(batch.real_BT.sum()))


def _language_model(model: nn.Module) -> LanguageModel:
    if not isinstance(model, LanguageModel):
        raise ModelError(f"language modelling needs a language model, got {type(model).__name__}")
    return model
