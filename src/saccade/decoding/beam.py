"""Beam search: at every step keep the ``beam`` best prefixes of each sentence. A beam of 1 is greedy decoding.

Shapes: B sentences still going, W beam width, N = B·W rows, V vocabulary, T tokens written so far.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.decoding.hypothesis import Hypothesis
from saccade.decoding.select import best_continuations
from saccade.decoding.steps import Steps
from saccade.errors import DecodingError


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


def beam_search(
    steps: Steps, max_lengths: list[int], settings: BeamSettings, *, bos_id: int, eos_id: int, device: torch.device
) -> list[list[Hypothesis]]:
    """The ``nbest`` best hypotheses of each sentence, best first.

    A sentence is done when ``beam`` hypotheses have ended, or at its greatest length, where what is still open is
    returned marked as unfinished.
    """
    search = _Search(max_lengths, settings, eos_id, device)
    tokens_N = torch.full((len(max_lengths) * settings.beam,), bos_id, device=device)
    while True:
        step = search.advance(steps.log_probs(tokens_N))
        if step.sentences is not None:
            if step.sentences.numel() == 0:
                return search.results()
            steps.keep(step.sentences, step.rows)
        else:
            steps.reorder(step.rows)
        tokens_N = step.tokens


@dataclass(frozen=True)
class _Step:
    """What goes on: the tokens appended, the rows they continue, and the sentences left if some are done."""

    tokens: Tensor
    rows: Tensor
    sentences: Tensor | None


class _Search:
    """The bookkeeping of all sentences, as tensors; Python touches a sentence only when something of it ends."""

    def __init__(self, max_lengths: list[int], settings: BeamSettings, eos_id: int, device: torch.device) -> None:
        batch, self.beam = len(max_lengths), settings.beam
        self.settings = settings
        self.eos_id = eos_id
        self.max_lengths = max_lengths
        self.ended: list[list[Hypothesis]] = [[] for _ in range(batch)]
        self.going = list(range(batch))
        self.scores_BW = torch.full((batch, self.beam), -torch.inf, device=device)
        self.scores_BW[:, 0] = 0.0  # all rows of a sentence start alike: only one of them counts
        self.tokens_BWT = torch.empty(batch, self.beam, 0, dtype=torch.long, device=device)
        self.rows_BWT = torch.empty(batch, self.beam, 0, dtype=torch.long, device=device)

    def advance(self, log_probs_NV: Tensor) -> _Step:
        batch, beam = len(self.going), self.beam
        # Twice the beam is enough: at most one candidate of each row is an end, so `beam` others remain.
        best = best_continuations(self.scores_BW, log_probs_NV, 2 * beam)
        parent_BC, token_BC = best.parents_BC, best.tokens_BC
        is_end_BC = token_BC == self.eos_id
        first_row_B = torch.arange(batch, device=log_probs_NV.device)[:, None] * beam

        # Ends count only among the `beam` best; of the rest the best that do not end go on.
        end_scores = best.scores_BC.masked_fill(~is_end_BC, -torch.inf)[:, :beam]
        for b, c in (end_scores > -torch.inf).nonzero().tolist():
            if len(self.ended[self.going[b]]) < beam:
                self._append(b, int(parent_BC[b, c]), float(best.scores_BC[b, c]), finished=True)
        going_on = best.scores_BC.masked_fill(is_end_BC, -torch.inf).topk(beam, dim=1)
        parent_BW = parent_BC.gather(1, going_on.indices)
        token_BW = token_BC.gather(1, going_on.indices)
        rows_BW = parent_BW + first_row_B
        self.scores_BW = going_on.values
        self.tokens_BWT = torch.cat((_of(self.tokens_BWT, parent_BW), token_BW[:, :, None]), dim=2)
        self.rows_BWT = torch.cat((_of(self.rows_BWT, parent_BW), rows_BW[:, :, None]), dim=2)
        return self._without_the_done(token_BW, rows_BW)

    def results(self) -> list[list[Hypothesis]]:
        if not all(self.ended):
            raise DecodingError("the model gives no token a probability: its weights are spoilt")
        return [sorted(each, key=lambda h: -h.score)[: self.settings.nbest] for each in self.ended]

    def _without_the_done(self, token_BW: Tensor, rows_BW: Tensor) -> _Step:
        length = self.tokens_BWT.shape[2]
        left: list[int] = []
        for b, sentence in enumerate(self.going):
            if len(self.ended[sentence]) >= self.beam:
                continue
            if length >= self.max_lengths[sentence]:
                self._cut(b, sentence)
                continue
            left.append(b)
        if len(left) == len(self.going):
            return _Step(token_BW.flatten(), rows_BW.flatten(), None)
        kept = torch.tensor(left, dtype=torch.long, device=token_BW.device)
        self.going = [self.going[b] for b in left]
        self.scores_BW, self.tokens_BWT, self.rows_BWT = (
            t.index_select(0, kept) for t in (self.scores_BW, self.tokens_BWT, self.rows_BWT)
        )
        return _Step(token_BW[kept].flatten(), rows_BW[kept].flatten(), kept)

    def _cut(self, b: int, sentence: int) -> None:
        """At its greatest length: what is still open fills the places that no finished hypothesis took."""
        for w in range(self.beam - len(self.ended[sentence])):
            if self.scores_BW[b, w] > -torch.inf:
                self._append(b, w, float(self.scores_BW[b, w]), finished=False)

    def _append(self, b: int, w: int, log_probability: float, *, finished: bool) -> None:
        tokens = tuple(self.tokens_BWT[b, w].tolist())
        rows = tuple(self.rows_BWT[b, w].tolist())
        if finished:  # the step at which the end token was written; before it, every row is the one it came from
            rows = (*rows, b * self.beam + w)
        length = max(1, len(tokens) + finished)
        score = log_probability / length**self.settings.length_penalty
        self.ended[self.going[b]].append(Hypothesis(tokens, log_probability, score, finished, rows))


def _of(tensor_BWT: Tensor, parent_BW: Tensor) -> Tensor:
    return tensor_BWT.gather(1, parent_BW[:, :, None].expand(-1, -1, tensor_BWT.shape[2]))
