"""How surprised a language model is by documents: −log p of every token, each document read for itself.

A document longer than ``context`` is read in windows of that length, each of which begins half a window after the one
before. Every token is counted once, and but for the beginning of a document it has at least half a window before it.

Shapes: B windows, T tokens.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from saccade.data.batches import FILLING, in_length_order, pad
from saccade.data.examples import Document
from saccade.data.tokenizers import Tokenizer
from saccade.errors import ModelError
from saccade.evaluation.language import Read
from saccade.models import LanguageModel


@dataclass(frozen=True)
class Window:
    """Tokens ``start`` … ``end`` − 1 of a document are read; those from ``first`` on are counted."""

    document: int
    start: int
    first: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


def windows(document: int, length: int, context: int) -> Iterator[Window]:
    """The windows of a document of ``length`` tokens: together they count each of them once."""
    start = first = 0
    while first < length:
        end = min(length, start + context)
        yield Window(document, start, first, end)
        start, first = start + max(1, context // 2), end


def surprise(
    model: LanguageModel, tokenizer: Tokenizer, documents: Sequence[Document], *, context: int, batch_tokens: int
) -> list[Read]:
    """What each document cost. Draws no random number; the model must be in evaluation."""
    device = next(model.parameters()).device
    encoded = tokenizer.encode_batch([document.text for document in documents])
    written = [[*ids, tokenizer.eos_id] for ids in encoded]
    given = [[tokenizer.bos_id, *ids] for ids in encoded]
    every = [one for i, ids in enumerate(written) for one in windows(i, len(ids), context)]
    nats = np.zeros(len(documents))
    with torch.no_grad():
        for rows in in_length_order(np.array([len(one) for one in every]), max(batch_tokens, context)):
            together = [every[row] for row in rows]
            read_BT = pad([given[one.document][one.start : one.end] for one in together], FILLING).to(device)
            for one, states_TE in zip(together, model(read_BT), strict=True):
                counted = torch.tensor(written[one.document][one.first : one.end], device=device)
                states_NE = states_TE[one.first - one.start : one.end - one.start]
                nats[one.document] += model.loss(states_NE, counted).item()
    if not math.isfinite(nats.sum()):
        raise ModelError(f"the loss of these texts is {nats.sum()}: the model's weights are spoilt")
    return [
        Read(
            nats=float(nats[i]),
            tokens=len(written[i]),
            bytes=len(document.text.encode()),
            characters=len(document.text),
            unknown=written[i].count(tokenizer.unk_id),
        )
        for i, document in enumerate(documents)
    ]
