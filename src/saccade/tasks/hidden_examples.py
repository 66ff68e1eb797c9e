"""What a BERT is shown in pretraining and asked in evaluation: two texts, some of their words hidden.

Shapes: B pairs, T tokens, N hidden words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from saccade.data.encoded import Sequences
from saccade.data.stretches import Stretches
from saccade.data.tokenizers import Tokenizer
from saccade.models import MaskedBert, Reading
from saccade.tasks.objectives import PAIRS, PAPER, PairName, Shares, Texts, chosen, hide_words
from saccade.tasks.reading import Joined, batch_of, join

Ids = npt.NDArray[np.int64]

MARKS = 3  # [CLS] and two [SEP]


def stretches_of(documents: Sequences, tokenizer: Tokenizer, context: int) -> Stretches:
    """Rows that fit into ``context`` tokens with their marks."""
    tokens = documents.between(0, documents.tokens)
    return Stretches(tokens, documents.lengths, eos_id=tokenizer.eos_id, most=context - MARKS)


@dataclass(frozen=True)
class HiddenExample:
    """Two texts with some words hidden: at which places, which words stood there, and whether B follows A."""

    drawn: Texts
    text: Joined
    places: Ids
    words: Ids

    @property
    def follows(self) -> bool:
        return self.drawn.follows

    def lines(self, tokenizer: Tokenizer, *, cut: str) -> tuple[list[str], list[str]]:
        """The sentences of A and of B as they are read, [MASK] where a token is hidden.

        The mark ``cut`` ends one of which the rest did not fit; those of which nothing did are left out.
        """
        sides = []
        for drawn, place in ((self.drawn.first, self.text.first), (self.drawn.second, self.text.second)):
            borders = np.cumsum([len(sentence) for sentence in drawn])[:-1]
            read = zip(drawn, np.split(self.text.tokens[place], borders), strict=True)
            sides.append(
                [
                    " ".join([*tokenizer.pieces(shown), *([cut] if len(shown) < len(whole) else [])])
                    for whole, shown in read
                    if len(shown)
                ]
            )
        return sides[0], sides[1]


@dataclass(frozen=True)
class Drawing:
    """How examples are drawn: at most ``context`` tokens with their marks, so many of them hidden, which pairs."""

    tokenizer: Tokenizer
    context: int
    hidden: float
    pairs: PairName
    shares: Shares = PAPER

    def example(self, stretches: Stretches, row: int, random: np.random.Generator) -> HiddenExample:
        drawn = PAIRS[self.pairs](stretches, row, random)
        first, second = (np.concatenate(side) for side in (drawn.first, drawn.second))
        text = join(self.tokenizer, first, second, most=self.context)
        own = np.r_[text.first, text.second]
        count = int(chosen(np.array([len(own)]), self.hidden)[0])
        hidden = hide_words(text.tokens, own, count, self.tokenizer, random, self.shares)
        return HiddenExample(drawn, Joined(hidden.tokens, text.first, text.second), hidden.places, hidden.words)


@dataclass(frozen=True)
class HiddenBatch:
    """Examples as tensors; ``places_N`` count through all B·T tokens of the batch."""

    reading: Reading
    places_N: Tensor
    words_N: Tensor
    follows_B: Tensor


def hidden_batch(examples: Sequence[HiddenExample], tokenizer: Tokenizer, device: torch.device) -> HiddenBatch:
    reading = batch_of([one.text for one in examples], tokenizer, device)
    longest = reading.tokens_BT.shape[1]
    places = np.concatenate([row * longest + one.places for row, one in enumerate(examples)])
    return HiddenBatch(
        reading,
        torch.from_numpy(places).to(device),
        torch.from_numpy(np.concatenate([one.words for one in examples])).to(device),
        torch.tensor([int(one.follows) for one in examples], device=device),
    )


@dataclass(frozen=True)
class Answers:
    """What a model says of a batch: scores of words, (N, V), and whether B follows, (B, 2)."""

    words_NV: Tensor
    follows_B2: Tensor


def answers(model: MaskedBert, batch: HiddenBatch) -> Answers:
    with torch.no_grad():
        states_BTE = model(batch.reading)
        return Answers(
            model.words(states_BTE.flatten(0, 1)[batch.places_N]).float(), model.next(model.pooler(states_BTE)).float()
        )
