"""Pictures in, captions out: a captioner, or several that write together, with a tokenizer beside them.

Shapes: B pictures, G places.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.attention import Written, recorders
from saccade.data.tokenizers import Tokenizer
from saccade.data.tokenizers.tokenizer import NONE
from saccade.decoding import BeamSettings, EnsembleSteps, Found, ModelSteps, beam_search
from saccade.errors import DecodingError
from saccade.models import Captioner
from saccade.tasks.consensus import by_consensus
from saccade.tasks.translator import Candidate, DecodeSettings

LONGEST = 60  # tokens, where nobody says


@dataclass(frozen=True)
class CaptionMember:
    """A captioner with its tokenizer; ``read`` gives the pictures of those numbers as this captioner reads them."""

    model: Captioner
    tokenizer: Tokenizer
    read: Callable[[Sequence[int]], Tensor]


@dataclass(frozen=True)
class Described:
    """What was said of a picture, the best first; ``words`` are the places in the best one's text of its tokens."""

    candidates: tuple[Candidate, ...]
    words: tuple[int, ...]

    @property
    def text(self) -> str:
        return self.candidates[0].text


class Describer:
    """Captions pictures with one model, or with several that average their probabilities at every step.

    None writes the unknown token: it says nothing of a picture, and there is no source whose word could replace it.
    """

    def __init__(self, members: Sequence[CaptionMember]) -> None:
        if len({member.tokenizer.fingerprint for member in members}) > 1:
            raise DecodingError(
                "captioners of an ensemble must write with the same tokenizer: train them from one recipe's data and "
                "tokenizer, with other seeds or other models"
            )
        self.members = list(members)
        self.tokenizer = members[0].tokenizer
        self._never = never_written(self.tokenizer)
        self.device = next(members[0].model.parameters()).device

    def caption(
        self, count: int, settings: DecodeSettings, *, on_progress: Callable[[int], None] = lambda done: None
    ) -> list[Described]:
        """The captions of pictures 0 … ``count`` − 1."""
        listening = [recorder for member in self.members for recorder in recorders(member.model)]
        for recorder in listening:
            recorder.start()
        results: dict[int, Described] = {}
        for one in self._found(count, settings):
            candidates = tuple(
                Candidate(self.tokenizer.decode(hypothesis.tokens), hypothesis.score, hypothesis.finished)
                for hypothesis in one.hypotheses
            )
            words = tuple(self.tokenizer.words(one.hypotheses[0].tokens))
            results[one.sentence] = Described(candidates, words)
            on_progress(len(results))
        for recorder in listening:
            recorder.finish()
        return [results[number] for number in range(count)]

    def _found(self, count: int, settings: DecodeSettings) -> Iterator[Found]:
        """One batch after another; recorders see each whole and are told what came out of it.

        A place counts as a source token does: so many pictures as ``batch_tokens`` allows are captioned at once.
        """
        together = max(1, settings.batch_tokens // max(member.model.places_count for member in self.members))
        for first in range(0, count, together):
            numbers = range(first, min(first + together, count))
            with torch.no_grad():
                found = list(self._decode(numbers, settings))
            yield from found
            for member in self.members:
                for recorder in recorders(member.model):
                    recorder.gather([self._recorded(one, one.sentence - first, member) for one in found])

    def _decode(self, numbers: Sequence[int], settings: DecodeSettings) -> Iterator[Found]:
        allowed = [m.model.max_target_length for m in self.members if m.model.max_target_length is not None]
        limit = min([settings.max_length or LONGEST, *allowed])

        def begin(places: Sequence[int]) -> ModelSteps | EnsembleSteps:
            steps = [
                ModelSteps(
                    member.model.eval(),
                    member.read([numbers[place] for place in places]).to(self.device),
                    never=self._never,
                )
                for member in self.members
            ]
            return steps[0] if len(steps) == 1 else EnsembleSteps(steps)

        search = beam_search(
            begin,
            [limit] * len(numbers),
            BeamSettings(
                settings.beam, settings.length_penalty, settings.beam if settings.consensus else settings.nbest
            ),
            bos_id=self.tokenizer.bos_id,
            eos_id=self.tokenizer.eos_id,
            device=self.device,
        )
        for found in search:
            ranked = by_consensus(found.hypotheses) if settings.consensus else found.hypotheses
            yield Found(numbers[found.sentence], tuple(ranked[: settings.nbest]))

    def _recorded(self, one: Found, place: int, member: CaptionMember) -> Written:
        """``place`` is the picture's in its batch."""
        best = one.hypotheses[0]
        tokens = self.tokenizer.pieces(best.tokens)
        end = self.tokenizer.pieces([self.tokenizer.eos_id])
        return Written(
            index=one.sentence,
            sentence=place,
            rows=best.rows,
            source=place_names(member.model.places_count),
            target=(*tokens, *end)[: len(best.rows)],
            read=(*self.tokenizer.pieces([self.tokenizer.bos_id]), *tokens)[: len(best.rows)],
        )


def never_written(tokenizer: Tokenizer) -> list[int]:
    """The unknown token, where there is one: it says nothing of a picture."""
    return [] if tokenizer.unk_id == NONE else [tokenizer.unk_id]


def place_names(places: int) -> tuple[str, ...]:
    """``1,1`` is the upper left place of the grid, row after row."""
    side = math.isqrt(places)
    return tuple(f"{row},{column}" for row in range(1, side + 1) for column in range(1, side + 1))
