"""What a BERT is pretrained on: which words are hidden, and what the second text is to the first.

Both are drawn anew each time that a row is read. To try another objective, write another function of the same form.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from saccade.data.stretches import Stretches
from saccade.data.tokenizers import Tokenizer

Ids = npt.NDArray[np.int64]
PairName = Literal["next-sentence", "sentence-order"]


@dataclass(frozen=True)
class Shares:
    """What becomes of chosen words: this share is hidden, this one replaced by another word, the rest stays."""

    hidden: float
    wrong: float


PAPER = Shares(hidden=0.8, wrong=0.1)
ALL_HIDDEN = Shares(hidden=1.0, wrong=0.0)


@dataclass(frozen=True)
class Texts:
    """Two texts, each some sentences, and whether they stand in this order in a document."""

    first: tuple[Ids, ...]
    second: tuple[Ids, ...]
    follows: bool


@dataclass(frozen=True)
class Hidden:
    """Tokens with some of them changed: at which ``places``, and which ``words`` stood there."""

    tokens: Ids
    places: Ids
    words: Ids


def next_sentence(stretches: Stretches, row: int, random: np.random.Generator) -> Texts:
    """A stretch cut in two; for half of them, what comes second is from another document (Devlin et al. 2019).

    A stretch of one sentence has nothing that follows, so it always gets a second text from elsewhere.
    """
    first, last = int(stretches.first[row]), int(stretches.last[row])
    cut = first + 1 if last == first + 1 else int(random.integers(first + 1, last))
    if last > first + 1 and random.random() < 0.5:
        return Texts(stretches.together(first, cut), stretches.together(cut, last), follows=True)
    other = _elsewhere(stretches, first, random)
    wanted = max(1, last - cut)
    return Texts(
        stretches.together(first, cut),
        stretches.together(other, min(other + wanted, stretches.from_here(other))),
        follows=False,
    )


def sentence_order(stretches: Stretches, row: int, random: np.random.Generator) -> Texts:
    """A stretch cut in two; for half of them the two change places (Lan et al. 2020)."""
    first, last = int(stretches.first[row]), int(stretches.last[row])
    if last == first + 1:
        return next_sentence(stretches, row, random)
    cut = int(random.integers(first + 1, last))
    before, after = stretches.together(first, cut), stretches.together(cut, last)
    return Texts(before, after, follows=True) if random.random() < 0.5 else Texts(after, before, follows=False)


PAIRS: dict[PairName, Callable[[Stretches, int, np.random.Generator], Texts]] = {
    "next-sentence": next_sentence,
    "sentence-order": sentence_order,
}


def hide_words(
    tokens: Ids,
    choosable: Ids,
    count: int,
    tokenizer: Tokenizer,
    random: np.random.Generator,
    shares: Shares = PAPER,
) -> Hidden:
    """Chooses ``count`` of the ``choosable`` places: most become [MASK], some another word, some stay as they are."""
    places = np.sort(random.permutation(choosable)[:count])
    changed, dice = tokens.copy(), random.random(len(places))
    changed[places[dice < shares.hidden]] = tokenizer.mask_id
    wrong = places[(dice >= shares.hidden) & (dice < shares.hidden + shares.wrong)]
    changed[wrong] = random.choice(tokenizer.ordinary, len(wrong))
    return Hidden(changed, places, tokens[places])


def chosen(lengths: npt.NDArray[np.int64], share: float) -> npt.NDArray[np.int64]:
    """How many words are chosen in texts of these lengths: at least one."""
    found: npt.NDArray[np.int64] = np.maximum(1, np.rint(share * lengths).astype(np.int64))
    return found


def _elsewhere(stretches: Stretches, sentence: int, random: np.random.Generator) -> int:
    while True:
        other = int(random.integers(stretches.sentences))
        if stretches.document_of[other] != stretches.document_of[sentence]:
            return other
