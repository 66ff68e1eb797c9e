"""A pretrained BERT: fills in hidden words."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from saccade import scenes
from saccade.attention import EVERYTHING, Asked
from saccade.data.sentences import sentences
from saccade.data.sources import read_documents
from saccade.data.stretches import Stretches
from saccade.data.tokenizers.roles import BERT
from saccade.errors import DecodingError, RunError
from saccade.evaluation.classification import accuracy
from saccade.evaluation.measured import scored
from saccade.evaluation.results import Result, append_result
from saccade.evaluation.translation import Score
from saccade.models import MaskedBert
from saccade.runs.bert import BertRun
from saccade.runs.run import LONGEST, Look
from saccade.tasks.hidden_examples import MARKS, Drawing, HiddenExample, answers, hidden_batch
from saccade.tasks.objectives import ALL_HIDDEN
from saccade.tasks.reading import Joined, batch_of
from saccade.tasks.sentence_corpus import encoded_sentences
from saccade.tasks.spool import read_document_spool

MASK = str(BERT.mask)
STORIES = "scenes:stories"
TOGETHER = 64  # pairs read at once
FOLLOWS = ("elsewhere", "follows")

Measurable = tuple[str, str]


@dataclass(frozen=True)
class Word:
    """A word, and how likely the model holds it."""

    text: str
    probability: float


@dataclass(frozen=True)
class Filled:
    """A text with gaps: for each of them, in order, the likeliest words, best first."""

    text: str
    gaps: tuple[tuple[Word, ...], ...]

    @property
    def best(self) -> str:
        """The text with the likeliest word in every gap."""
        parts = self.text.split(MASK)
        words = [gap[0].text for gap in self.gaps]
        return "".join(part + word for part, word in zip(parts, [*words, ""], strict=True))


@dataclass(frozen=True)
class Ideal:
    """What a reader gets right who knows the grammar that made the texts, in per cent."""

    words: float
    pairs: float


@dataclass(frozen=True)
class MaskedEvaluation:
    """Scores in per cent, and beside them what an ideal reader would get, where that is known."""

    scores: tuple[Score, ...]
    ideal: Ideal | None
    result: Result = field(repr=False)


class MaskedRun(BertRun):
    """A BERT as it was pretrained, or imported."""

    model: MaskedBert

    def fill(self, text: str, *, best: int = 5) -> Filled:
        """The ``best`` words for each [MASK] of the text."""
        self._check_finds_words()
        if not 1 <= best <= self.tokenizer.vocab_size:
            raise DecodingError(f"{best} words asked: expected 1 to {self.tokenizer.vocab_size:,}")
        joined = self.with_gaps(text)
        with torch.no_grad():
            states_BTE = self.model(batch_of([joined], self.tokenizer, self.device))
            gaps_N = torch.from_numpy(np.flatnonzero(joined.tokens == self.tokenizer.mask_id)).to(self.device)
            likely = self.model.words(states_BTE[0, gaps_N]).softmax(dim=-1).topk(best)
        return Filled(
            text,
            tuple(
                tuple(Word(piece, p) for piece, p in zip(self.tokenizer.pieces(ids), values, strict=True))
                for ids, values in zip(likely.indices.tolist(), likely.values.tolist(), strict=True)
            ),
        )

    def look(self, text: str, second: str | None = None, *, asked: Asked = EVERYTHING) -> Look:
        """As any BERT; gaps of a text for itself are read as gaps."""
        if second is None and MASK in text:
            return self.look_at(text, self.with_gaps(text), asked)
        return super().look(text, second, asked=asked)

    def with_gaps(self, text: str) -> Joined:
        """The text with its marks, [MASK] read as a hidden word."""
        parts = text.split(MASK)
        if len(parts) == 1:
            raise DecodingError(f"there is no {MASK} in {text!r}: write it where a word is to be found")
        ids: list[int] = []
        for part in self.tokenizer.encode_batch(parts):
            ids += [*part, self.tokenizer.mask_id]
        return self.joined(ids[:-1])

    def evaluate(self, data: str | None = None, *, command: str = "MaskedRun.evaluate") -> MaskedEvaluation:
        """Hidden words found and followers told, on texts and gaps drawn once; kept in the run's results.json.

        Every chosen word is hidden. A model that came without the head that tells followers is scored by words alone.
        On ``scenes:stories`` it is also known how many words a reader would find who knew the grammar, given all that
        the model was given.
        """
        self._check_finds_words()
        spec = self.test_set(data)
        recipe = self.recipe
        drawing = Drawing(self.tokenizer, recipe.data.context, recipe.train.hidden, recipe.train.pairs, ALL_HIDDEN)
        ids = [
            encoded_sentences(document.text, self.tokenizer, recipe.data.sentences)
            for document in read_documents(
                spec, split="test", borders=recipe.data.documents, schemes={"scenes": scenes.read_documents}
            )
        ]
        lengths = np.array([len(one) for one in ids])
        stretches = Stretches(
            np.concatenate(ids), lengths, eos_id=self.tokenizer.eos_id, most=recipe.data.context - MARKS
        )
        random = np.random.Generator(np.random.SFC64(0))
        examples = [drawing.example(stretches, row, random) for row in range(len(stretches))]
        began = time.perf_counter()
        words: list[Measurable] = []
        following: list[Measurable] = []
        for start in range(0, len(examples), TOGETHER):
            batch = hidden_batch(examples[start : start + TOGETHER], self.tokenizer, self.device)
            said = answers(self.model, batch)
            words += _both(self.tokenizer.pieces, batch.words_N, said.words_NV)
            following += _both(
                lambda answers: [FOLLOWS[answer] for answer in answers], batch.follows_B, said.follows_B2
            )
        seconds = time.perf_counter() - began
        settings = f"context:{recipe.data.context}|hidden:{recipe.train.hidden:g}|pairs:{recipe.train.pairs}|seed:0"
        measured = [replace(accuracy(*zip(*words, strict=True)), name="hidden words")]
        if not {"pooler", "next"} & set(self.untrained):
            measured.append(replace(accuracy(*zip(*following, strict=True)), name="pairs told"))
        result = Result(
            scores=scored(measured, settings=settings).scores,
            data=spec,
            sentences=len(examples),
            unit="pairs",
            decode={"context": recipe.data.context, "hidden": recipe.train.hidden},
            seconds=round(seconds, 3),
            command=command,
        )
        append_result(self.folder.path, result)
        return MaskedEvaluation(result.scores, self._ideal(spec, examples), result)

    def _check_finds_words(self) -> None:
        if "words" in self.untrained:
            raise RunError(f"{self.folder.path} has no weights for finding hidden words: its model came without them")

    def _ideal(self, spec: str, examples: Sequence[HiddenExample]) -> Ideal | None:
        """What the grammar of stories determines; None for any other text, and where words are cut into pieces."""
        if not spec.startswith(STORIES) or self.recipe.train.pairs != "next-sentence" or self.untrained:
            return None
        sentences = (ids for example in examples for ids in (*example.drawn.first, *example.drawn.second))
        if any(len(set(self.tokenizer.words(ids))) < len(ids) for ids in sentences):
            return None
        halves = [scenes.Halves(*map(tuple, example.lines(self.tokenizer, cut=scenes.CUT))) for example in examples]
        return Ideal(100 * scenes.masked_word_bound(halves).share, 100 * scenes.next_sentence_bound(halves).share)

    def example(self) -> Look:
        """The first sentences of the first validation document."""
        text = next(read_document_spool(self.folder.data / "valid.jsonl")).text
        first, *rest = sentences(text, self.recipe.data.sentences)
        return self.look(*(" ".join(one.split()[:LONGEST]) for one in (first, *rest[:1])))


def _both(named: Callable[[list[int]], list[str]], truth_N: Tensor, scores_NX: Tensor) -> list[Measurable]:
    """For each question what is right and what was said, by name."""
    return list(zip(named(truth_N.tolist()), named(scores_NX.argmax(dim=-1).tolist()), strict=True))
