"""Texts in, texts out: a model, or an ensemble of models, with tokenizers around it.

Shapes: B sentences, S source tokens.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from saccade.attention import Written, recorders
from saccade.data.batches import Rows, in_length_order, pad
from saccade.data.tags import tag_ids, target_language
from saccade.data.tokenizers import Tokenizer
from saccade.decoding import BeamSettings, EnsembleSteps, Found, Gone, Hypothesis, ModelSteps, Room, beam_search
from saccade.errors import DecodingError
from saccade.machine import one_thread
from saccade.models import Seq2Seq
from saccade.tasks.side_by_side import side_by_side
from saccade.tasks.unknown import Copier, copying

LEAST_TEXTS = 16  # for a core to work on its own
FEW_ROWS = 16  # texts times beams whose steps are too small for several threads

Encoded = Sequence[Sequence[Sequence[int]]]
Into = str | Sequence[str | None] | None
"""The language to translate into: one for all texts, or one for each; None where there is no choice."""


@dataclass(frozen=True)
class Tokenizers:
    """The tokenizers of both sides; they are one and the same object when the vocabulary is shared.

    ``labels`` are the names of what a classifier or a tagger says.
    """

    source: Tokenizer
    target: Tokenizer
    labels: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """The target languages that sources are tagged with; none where they are not tagged."""
        return tuple(self._tags)

    def read(self, texts: Sequence[str], into: Into = None) -> list[list[int]]:
        """The ids of the sources, without end mark; where sources are tagged, each after its language's tag."""
        ids, known = self.source.encode_batch(texts), self.languages
        if not known:
            return ids
        asked = [into] * len(ids) if into is None or isinstance(into, str) else into
        return [[self._tags[target_language(language, known)], *one] for one, language in zip(ids, asked, strict=True)]

    @cached_property
    def _tags(self) -> dict[str, int]:
        return tag_ids(self.source)


@dataclass(frozen=True)
class DecodeSettings:
    """How texts are written. ``max_length`` None: twice the source's tokens and ten more.

    With ``replace_unknown`` each unknown word becomes the source word that attention looked at most. With ``consensus``
    the hypothesis comes first that is most like all of the beam's; translators do not ask for it.
    """

    beam: int = 5
    length_penalty: float = 1.0
    max_length: int | None = None
    batch_tokens: int = 8192
    nbest: int = 1
    consensus: bool = False
    replace_unknown: bool = False

    def __post_init__(self) -> None:
        for name in ("max_length", "batch_tokens"):
            if (given := getattr(self, name)) is not None and given < 1:
                raise DecodingError(f"decode.{name} is at least 1, got {given}")


@dataclass(frozen=True)
class Candidate:
    """One way to translate a text. ``finished`` is False where the greatest length cut it off."""

    text: str
    score: float
    finished: bool


@dataclass(frozen=True)
class Translation:
    """A text with its translations, best first; an empty text has one empty translation."""

    source: str
    candidates: tuple[Candidate, ...]

    @property
    def text(self) -> str:
        return self.candidates[0].text

    @property
    def finished(self) -> bool:
        return self.candidates[0].finished


@dataclass(frozen=True)
class Member:
    """A model with its tokenizers."""

    model: Seq2Seq
    tokenizers: Tokenizers


class Translator:
    """Translates with one model, or with several that average their probabilities at every step."""

    def __init__(self, members: Sequence[Member]) -> None:
        first = members[0]
        for other in members[1:]:
            if other.tokenizers.target.fingerprint != first.tokenizers.target.fingerprint:
                raise DecodingError(
                    "models of an ensemble must write with the same target tokenizer: train them from one recipe's "
                    "data and tokenizer, with other seeds or other models"
                )
        self.members = list(members)
        self.target = first.tokenizers.target
        self.device = next(first.model.parameters()).device

    def translate(
        self,
        texts: Sequence[str],
        settings: DecodeSettings,
        *,
        into: Into = None,
        first: int = 1,
        on_progress: Callable[[int], None] = lambda done: None,
        gone: Gone | None = None,
    ) -> list[Translation]:
        """The translations in the order of the texts.

        ``first`` is the number of the first text in messages. A text that is ``gone``, by its number from 0, is given
        up before the next step, and comes back empty.
        """
        guide = self.members[0]  # of an ensemble too
        tags = 1 if guide.tokenizers.languages else 0
        copiers = (
            copying(guide.model, guide.tokenizers.source, tags=tags) if settings.replace_unknown else nullcontext()
        )
        with copiers as copier:
            return self._translate(texts, settings, copier, into, first, on_progress, gone)

    def _translate(
        self,
        texts: Sequence[str],
        settings: DecodeSettings,
        copier: Copier | None,
        into: Into,
        first: int,
        on_progress: Callable[[int], None],
        gone: Gone | None,
    ) -> list[Translation]:
        encoded = [member.tokenizers.read(texts, into) for member in self.members]
        self.check_lengths(encoded, first)
        results = [Translation(text, (Candidate("", 0.0, True),)) for text in texts]
        spoken = np.array([i for i, ids in enumerate(encoded[0]) if ids and texts[i].strip()], dtype=np.int64)
        listening = [recorder for member in self.members for recorder in recorders(member.model)]
        for recorder in listening:
            recorder.start()
        done = len(texts) - len(spoken)
        decode = self._one_batch_after_another if listening else self._side_by_side
        with one_thread(len(spoken) * settings.beam <= FEW_ROWS):
            for one in decode(spoken, encoded, settings, gone):
                text = texts[one.sentence]
                found = tuple(self._candidate(text, hypothesis, copier) for hypothesis in one.hypotheses)
                results[one.sentence] = Translation(text, found)
                done += 1
                on_progress(done)
        for recorder in listening:
            recorder.finish()
        return results

    def _candidate(self, text: str, hypothesis: Hypothesis, copier: Copier | None) -> Candidate:
        unknown = [] if copier is None else copier.words(text, hypothesis)
        written = self.target.decode(hypothesis.tokens, unknown=unknown)
        return Candidate(written, hypothesis.score, hypothesis.finished)

    def _side_by_side(
        self, rows: Rows, encoded: Encoded, settings: DecodeSettings, gone: Gone | None
    ) -> Iterator[Found]:
        """The longest texts first; where one is done, another takes its place."""
        lengths = self._lengths(rows, encoded)
        order = rows[np.argsort(-lengths, kind="stable")]
        streams = self._streams(len(rows))
        budget = settings.batch_tokens // streams
        return side_by_side(
            [
                self._decode(order[number::streams].tolist(), encoded, settings, budget, gone)
                for number in range(streams)
            ]
        )

    def _one_batch_after_another(
        self, rows: Rows, encoded: Encoded, settings: DecodeSettings, gone: Gone | None
    ) -> Iterator[Found]:
        """Recorders see whole batches, and are told what came out of each."""
        lengths = self._lengths(rows, encoded)
        for batch in in_length_order(lengths, max(settings.batch_tokens, int(lengths.max(initial=1)))):
            together = rows[batch].tolist()
            with torch.no_grad():
                found = {one.sentence: one for one in self._decode(together, encoded, settings, None, gone)}
            yield from found.values()  # first: whoever writes them down can still look into what was recorded
            for member, ids in zip(self.members, encoded, strict=True):
                for recorder in recorders(member.model):
                    recorder.gather(
                        [
                            self._recorded(i, row, ids[row], found[row].hypotheses[0], member)
                            for i, row in enumerate(together)
                            if row in found
                        ]
                    )

    def _decode(
        self,
        rows: Sequence[int],
        encoded: Encoded,
        settings: DecodeSettings,
        budget: int | None,
        gone: Gone | None,
    ) -> Iterator[Found]:
        """The hypotheses of the texts in ``rows``: all at once, or as many as the budget of source tokens allows."""
        sizes = [len(encoded[0][row]) + 1 for row in rows]
        allowed = [m.model.max_target_length for m in self.members if m.model.max_target_length is not None]
        limits = [min([settings.max_length or 2 * size + 8, *allowed]) for size in sizes]

        def begin(sentences: Sequence[int]) -> ModelSteps | EnsembleSteps:
            steps = [
                ModelSteps(member.model.eval(), self._batch(member, [ids[rows[sentence]] for sentence in sentences]))
                for member, ids in zip(self.members, encoded, strict=True)
            ]
            return steps[0] if len(steps) == 1 else EnsembleSteps(steps)

        search = beam_search(
            begin,
            limits,
            BeamSettings(settings.beam, settings.length_penalty, settings.nbest),
            bos_id=self.target.bos_id,
            eos_id=self.target.eos_id,
            device=self.device,
            room=None if budget is None else Room(sizes, budget),
            gone=None if gone is None else lambda sentence: gone(rows[sentence]),
        )
        for found in search:
            yield Found(rows[found.sentence], found.hypotheses)

    def _lengths(self, rows: Rows, encoded: Encoded) -> Rows:
        """Source tokens, end mark included."""
        return np.array([len(encoded[0][row]) + 1 for row in rows], dtype=np.int64)

    def _streams(self, texts: int) -> int:
        """One for each core, as long as each has enough to do."""
        cores = torch.get_num_threads() if self.device.type == "cpu" else 1
        return max(1, min(cores, texts // LEAST_TEXTS))

    def _batch(self, member: Member, sequences: Sequence[Sequence[int]]) -> Tensor:
        tokenizer = member.tokenizers.source
        return pad(sequences, tokenizer.pad_id, suffix=[tokenizer.eos_id]).to(self.device)

    def _recorded(self, sentence: int, index: int, source: Sequence[int], best: Hypothesis, member: Member) -> Written:
        tokens = self.target.pieces(best.tokens)
        end = self.target.pieces([self.target.eos_id])
        return Written(
            index=index,
            sentence=sentence,
            rows=best.rows,
            source=(*member.tokenizers.source.pieces(source), *end),
            target=(*tokens, *end)[: len(best.rows)],
            read=(*self.target.pieces([self.target.bos_id]), *tokens)[: len(best.rows)],
        )

    def check_lengths(self, encoded: Sequence[Sequence[Sequence[int]]], first: int) -> None:
        """Refuses texts that are longer than a member's positions; ``first`` is the number of the first."""
        for member, ids in zip(self.members, encoded, strict=True):
            limit = member.model.max_source_length
            for number, sequence in enumerate(ids, start=first):
                if limit is not None and len(sequence) + 1 > limit:
                    raise DecodingError(
                        f"text {number:,} has {len(sequence):,} tokens, but the model's positions end at {limit:,} "
                        "with the end mark: split it into shorter texts"
                    )
