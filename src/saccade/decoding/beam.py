"""Beam search: at every step keep the ``beam`` best prefixes of each sentence. A beam of 1 is greedy decoding.

Sentences are written side by side. When enough of them are done, others that wait take their places, so that no step is
taken for a few late ones alone. Shapes: B sentences at once, P places among them, W beam width, N = B·W rows, C
candidates.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.room import Room
from saccade.decoding.select import best_continuations
from saccade.decoding.steps import Steps
from saccade.errors import DecodingError

Ints = npt.NDArray[np.int64]
Begin = Callable[[Sequence[int]], Steps]
Gone = Callable[[int], bool]
"""Whether nobody waits for the text of this number any more."""

FREE_SHARE = 1 / 8  # of the places: only when so many are free do others take them, who are read together
MORE_SHARE = 1 / 4  # of the places: only when so many more would find room are all moved, which copies memory


@dataclass(frozen=True)
class BeamSettings:
    """``length_penalty`` α: hypotheses are ranked by log p / length^α; 0 prefers short texts, above 1 long ones."""

    beam: int = 5
    length_penalty: float = 1.0
    nbest: int = 1

    def __post_init__(self) -> None:
        if self.beam < 1:
            raise DecodingError(f"decode.beam is at least 1, got {self.beam}")
        if not 1 <= self.nbest <= self.beam:
            raise DecodingError(f"decode.nbest is between 1 and decode.beam ({self.beam}), got {self.nbest}")
        if not 0 <= self.length_penalty < math.inf:
            raise DecodingError(f"decode.length_penalty is at least 0, got {self.length_penalty}")


@dataclass(frozen=True)
class Found:
    """A sentence that is done, by its number, and its ``nbest`` best hypotheses, best first."""

    sentence: int
    hypotheses: tuple[Hypothesis, ...]


def beam_search(
    begin: Begin,
    max_lengths: Sequence[int],
    settings: BeamSettings,
    *,
    bos_id: int,
    eos_id: int,
    device: torch.device,
    room: Room | None = None,
    gone: Gone | None = None,
) -> Iterator[Found]:
    """Writes sentences 0, 1, … and yields each when it is done.

    A sentence is done when ``beam`` hypotheses have ended, or at its greatest length, where what is still open is
    returned marked as unfinished. ``begin`` reads the sources of some sentences. Without ``room`` all are under way at
    once. A sentence that is ``gone`` leaves before the next step, and is not yielded.
    """
    room = room or Room.for_all(len(max_lengths))
    new = room.next(())
    if not new:
        return
    steps = begin(new)
    search = _Search(max_lengths, settings, bos_id=bos_id, eos_id=eos_id)
    search.enter(new, search.add(len(new)))

    def on_device(numbers: Ints) -> Tensor:
        return torch.from_numpy(numbers).to(device)

    while True:
        scores_BW = torch.from_numpy(search.scores_BW).to(device)
        # Twice the beam is enough: at most one candidate of each row is an end, so `beam` others remain.
        best = best_continuations(scores_BW, steps.log_probs(on_device(search.tokens_N)), 2 * settings.beam)
        yield from search.advance(*(each.cpu().numpy() for each in (best.scores_BC, best.parents_BC, best.tokens_BC)))
        if gone is not None:
            search.drop(gone)
        free_P = search.free()
        if not len(free_P):
            steps.reorder(on_device(search.rows_N))
            continue
        fitting = room.fitting(search.going)
        if len(free_P) <= fitting < len(free_P) + MORE_SHARE * len(search.sentence_B):
            new = room.take(len(free_P))
            steps.reorder(on_device(search.rows_N))
            steps.replace(on_device(free_P), begin(new))
            search.enter(new, free_P)
        else:
            kept_B, new = search.leave(), room.take(fitting)
            if len(kept_B):
                steps.keep(on_device(kept_B), on_device(search.rows_N))
                if new:
                    steps.join(begin(new))
            elif new:
                steps = begin(new)
            else:
                return
            search.enter(new, search.add(len(new)))


@dataclass(frozen=True)
class _Written:
    """One step of all rows: the token each wrote, and the row of the step before that it continues."""

    tokens_N: Ints
    rows_N: Ints


class _Search:
    """The bookkeeping of the sentences under way; Python touches one of them only when something of it ends.

    Each has a place b and the rows b·W … b·W + W − 1. A place whose sentence is done has the number −1.
    """

    def __init__(self, max_lengths: Sequence[int], settings: BeamSettings, *, bos_id: int, eos_id: int) -> None:
        self.beam = settings.beam
        self.settings = settings
        self.bos_id = bos_id
        self.eos_id = eos_id
        self.max_lengths = np.asarray(max_lengths, dtype=np.int64)
        self.sentence_B: Ints = np.empty(0, dtype=np.int64)
        self.age_B: Ints = np.empty(0, dtype=np.int64)
        self.limit_B: Ints = np.empty(0, dtype=np.int64)
        self.scores_BW: npt.NDArray[np.float32] = np.empty((0, self.beam), dtype=np.float32)
        self.tokens_N: Ints = np.empty(0, dtype=np.int64)
        self.rows_N: Ints = np.empty(0, dtype=np.int64)
        self._ended: dict[int, list[Hypothesis]] = {}
        self._trail: list[_Written] = []

    @property
    def going(self) -> Ints:
        """The numbers of the sentences under way."""
        return self.sentence_B[self.sentence_B >= 0]

    def free(self) -> Ints:
        """The free places, if there are many, or one of them is so old that it must not grow any more; else none."""
        free_B = self.sentence_B < 0
        too_old = free_B & (self.age_B >= self.limit_B)
        enough = free_B.sum() >= FREE_SHARE * len(free_B) or too_old.any()
        return np.flatnonzero(free_B & enough)

    def drop(self, gone: Gone) -> None:
        """The places of those who are gone are free, as if they were done."""
        for b, sentence in enumerate(self.sentence_B.tolist()):
            if sentence >= 0 and gone(sentence):
                self._ended.pop(sentence)
                self.sentence_B[b] = -1
                self.scores_BW[b] = -np.inf

    def leave(self) -> Ints:
        """Free places vanish; returns those that stay."""
        kept_B = np.flatnonzero(self.sentence_B >= 0)
        kept_N = (kept_B[:, None] * self.beam + np.arange(self.beam)).ravel()
        self.sentence_B, self.age_B, self.limit_B = self.sentence_B[kept_B], self.age_B[kept_B], self.limit_B[kept_B]
        self.scores_BW = self.scores_BW[kept_B]
        self.tokens_N, self.rows_N = self.tokens_N[kept_N], self.rows_N[kept_N]
        return kept_B

    def add(self, places: int) -> Ints:
        """So many more places behind the others; returns them."""
        before, rows = len(self.sentence_B), places * self.beam
        self.sentence_B, self.age_B, self.limit_B = (
            np.pad(each, (0, places)) for each in (self.sentence_B, self.age_B, self.limit_B)
        )
        self.scores_BW = np.pad(self.scores_BW, ((0, places), (0, 0)))
        self.tokens_N, self.rows_N = np.pad(self.tokens_N, (0, rows)), np.pad(self.rows_N, (0, rows))
        return np.arange(before, before + places)

    def enter(self, sentences: Sequence[int], places_P: Ints) -> None:
        """New sentences get these places."""
        numbers_P = np.asarray(sentences, dtype=np.int64)
        rows_PW = places_P[:, None] * self.beam + np.arange(self.beam)
        self.sentence_B[places_P], self.age_B[places_P] = numbers_P, 0
        self.limit_B[places_P] = self.max_lengths[numbers_P]
        self.scores_BW[places_P] = np.where(np.arange(self.beam) == 0, 0.0, -np.inf)  # they start alike: one counts
        self.tokens_N[rows_PW], self.rows_N[rows_PW] = self.bos_id, -1
        self._ended.update({sentence: [] for sentence in sentences})
        # What was written before the oldest sentence under way began leads to none of them.
        oldest = int(self.age_B[self.sentence_B >= 0].max(initial=0))
        del self._trail[: len(self._trail) - oldest]

    def advance(self, scores_BC: npt.NDArray[np.float32], parents_BC: Ints, tokens_BC: Ints) -> list[Found]:
        """Takes the best continuations of every sentence, best first; returns what is done with this step."""
        beam = self.beam
        self._trail.append(_Written(self.tokens_N, self.rows_N))
        rows_BC = parents_BC + np.arange(len(parents_BC))[:, None] * beam
        is_end_BC = tokens_BC == self.eos_id
        going_B = self.sentence_B >= 0

        # Ends count only among the `beam` best; of the rest the best that do not end go on.
        counts_BC = is_end_BC[:, :beam] & (scores_BC[:, :beam] > -np.inf) & going_B[:, None]
        ended_B = np.zeros(len(going_B), dtype=np.bool_)
        for b, c in np.argwhere(counts_BC).tolist():
            ended = self._ended[self.sentence_B[b]]
            if len(ended) < beam:
                ended.append(self._hypothesis(b, rows_BC[b, c], float(scores_BC[b, c]), last=None))
            ended_B[b] = len(ended) >= beam
        chosen_BW = np.argsort(is_end_BC, axis=1, kind="stable")[:, :beam]
        rows_BW, tokens_BW, ends_BW, scores_BW = (
            np.take_along_axis(each, chosen_BW, axis=1) for each in (rows_BC, tokens_BC, is_end_BC, scores_BC)
        )
        scores_BW[ends_BW] = -np.inf

        found = []
        cut_B = going_B & ~ended_B & (self.age_B + 1 >= self.limit_B)
        for b in np.flatnonzero(going_B & (ended_B | cut_B)).tolist():
            ended = self._ended.pop(int(self.sentence_B[b]))
            # At its greatest length, what is still open fills the places that no finished hypothesis took.
            for w in range(beam - len(ended)):
                if scores_BW[b, w] > -np.inf:
                    score, last = float(scores_BW[b, w]), int(tokens_BW[b, w])
                    ended.append(self._hypothesis(b, rows_BW[b, w], score, last=last))
            if not ended:
                raise DecodingError("the model gives no token a probability: its weights are spoilt")
            best = sorted(ended, key=lambda h: -h.score)[: self.settings.nbest]
            found.append(Found(int(self.sentence_B[b]), tuple(best)))
            self.sentence_B[b] = -1
            scores_BW[b] = -np.inf
        self.age_B = self.age_B + 1
        self.scores_BW = scores_BW
        self.tokens_N, self.rows_N = tokens_BW.ravel(), rows_BW.ravel()
        return found

    def _hypothesis(self, b: int, row: int, log_probability: float, *, last: int | None) -> Hypothesis:
        """What ``row`` wrote, and ``last`` after it; or, without it, the end."""
        tokens, rows = [] if last is None else [last], [int(row)]
        for step in range(1, int(self.age_B[b]) + 1):
            written = self._trail[-step]
            tokens.append(int(written.tokens_N[row]))
            row = written.rows_N[row]
            rows.append(int(row))
        length = len(rows)
        score = log_probability / length**self.settings.length_penalty
        return Hypothesis(tuple(tokens[::-1]), log_probability, score, last is None, tuple(rows[::-1]))
