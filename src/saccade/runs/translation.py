"""A translator that was trained: translate, look inside and evaluate with it, alone or in an ensemble."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, overload

import torch

from saccade.attention import record
from saccade.data.examples import Pair
from saccade.errors import DataError, DecodingError, RunError
from saccade.evaluation.results import Result, append_result
from saccade.evaluation.translation import TranslationComparison, TranslationScores, compare_translations
from saccade.evaluation.translation import score_translations as score
from saccade.interop.ctranslate2 import CTranslate2Engine, Precision
from saccade.models import Seq2Seq
from saccade.runs.run import LONGEST, Look, Run
from saccade.tasks.alignment import ReadAlignment, alignment_score, choose_lens
from saccade.tasks.corpus import pairs_of
from saccade.tasks.forced import forced_attention
from saccade.tasks.spool import read_spool
from saccade.tasks.translator import Candidate, Member, Translation, Translator
from saccade.training.kinds import corpus_settings, decode_settings
from saccade.view.display import translation_html

ALIGNED = 100  # validation pairs on which the lens for alignments is chosen


@dataclass(frozen=True)
class Evaluation:
    """The scores of one run, or of an ensemble, on one data set, and the texts they are scores of."""

    scores: TranslationScores
    alignment: ReadAlignment | None
    pairs: tuple[Pair, ...] = field(repr=False)
    translations: tuple[Translation, ...] = field(repr=False)
    result: Result = field(repr=False)


class TranslationRun(Run):
    """A trained translator with its recipe and tokenizers."""

    model: Seq2Seq

    @property
    def member(self) -> Member:
        return Member(self.model, self.tokenizers)

    @overload
    def translate(self, texts: str, **settings: Any) -> Translation: ...

    @overload
    def translate(self, texts: Sequence[str], **settings: Any) -> list[Translation]: ...

    def translate(self, texts: str | Sequence[str], **settings: Any) -> Translation | list[Translation]:
        """One text or many. ``settings``: beam, length_penalty, max_length, nbest, batch_tokens; else the recipe's."""
        found = Ensemble([self]).translate([texts] if isinstance(texts, str) else texts, **settings)
        many: list[Translation] = [ShownTranslation(one.source, one.candidates, run=self) for one in found]
        return many[0] if isinstance(texts, str) else many

    def pairs(self, spec: str) -> list[Pair]:
        """Every pair of a test set: references stay untouched and nothing is dropped, however long or odd."""
        settings = corpus_settings(self.recipe)
        return list(pairs_of(spec, "test", source=settings.source, target=settings.target, rules=None))

    def look(self, source: str, target: str | None = None) -> Look:
        """Translates and keeps what every layer attended to; with ``target``, what it attends to while writing that."""
        if not source.strip() or (target is not None and not target.strip()):
            raise DecodingError("there is nothing to look at in an empty text")
        if target is not None:
            forced = forced_attention(self.member, [Pair(source, target)])[0]
            return Look(source, target, tuple(forced.values()))
        with record(self.model) as seen:
            translation = self.translate(source)
        return Look(source, translation.text, tuple(seen[name].attended[0] for name in seen))

    def example(self) -> Look:
        """The longest of the first validation sentences that can be read at a glance."""
        valid = list(read_spool(self.folder.data / "valid.jsonl"))
        short = [pair for pair in valid if 4 <= len(pair.source.split()) <= LONGEST] or valid[:1]
        return self.look(max(short[:50], key=lambda pair: len(pair.source.split())).source)


@dataclass(frozen=True)
class ShownTranslation(Translation):
    """A translation that draws its attention when a notebook displays it."""

    run: TranslationRun = field(repr=False, compare=False, kw_only=True)

    def _repr_html_(self) -> str:
        if not self.text.strip():
            return translation_html(self.source, self.text, None)
        return self.run.look(self.source, self.text)._repr_html_()


class Ensemble:
    """One run, or several that write together."""

    def __init__(self, runs: Sequence[TranslationRun]) -> None:
        if not runs:
            raise RunError("name at least one run")
        if len({id(run) for run in runs}) < len(runs):
            raise RunError("a run is named twice: an ensemble needs different ones")
        self.runs = list(runs)
        self.translator = Translator([run.member for run in runs])

    def translate(
        self,
        texts: Sequence[str],
        *,
        first: int = 1,
        on_progress: Callable[[int], None] = lambda done: None,
        **settings: Any,
    ) -> list[Translation]:
        """``first`` is the number of the first text in messages."""
        decode = decode_settings(self.runs[0].recipe.decode, **settings)
        return self.translator.translate(texts, decode, first=first, on_progress=on_progress)

    def evaluate(
        self,
        data: str | None = None,
        *,
        pairs: Sequence[Pair] | None = None,
        command: str = "Ensemble.evaluate",
        on_progress: Callable[[int], None] = lambda done: None,
        **settings: Any,
    ) -> Evaluation:
        """Scores freely decoded text against untouched references, and keeps it in the first run's results.json.

        ``data`` is given like ``data.test`` in a recipe; without it the recipe's test set is taken. ``pairs`` are those
        of ``data`` when they were read already.
        """
        first = self.runs[0]
        spec = first.test_set(data)
        pairs = tuple(first.pairs(spec) if pairs is None else pairs)
        decode = decode_settings(first.recipe.decode, **settings)
        began = time.perf_counter()
        texts = [pair.source for pair in pairs]
        translations = self.translator.translate(texts, decode, on_progress=on_progress)
        seconds = time.perf_counter() - began
        scores = score([one.text for one in translations], [pair.target for pair in pairs])
        alignment = self._alignment(pairs)
        result = Result(
            scores=scores.scores,
            data=spec,
            sentences=len(pairs),
            decode={**asdict(decode), "runs": len(self.runs)},
            seconds=round(seconds, 3),
            command=command,
            alignment=None if alignment is None else {**asdict(alignment.score), "read_from": str(alignment.lens)},
        )
        append_result(first.folder.path, result)
        return Evaluation(scores, alignment, pairs, tuple(translations), result)

    def _alignment(self, pairs: Sequence[Pair]) -> ReadAlignment | None:
        """Alignment error, where the truth is known; the layer and head to read are chosen on validation pairs."""
        first = self.runs[0]
        held = first.folder.data / "valid.jsonl"
        valid = [pair for pair in read_spool(held) if pair.alignment is not None][:ALIGNED] if held.exists() else []
        if not valid or not any(pair.alignment is not None for pair in pairs):
            return None
        lens = choose_lens(first.member, valid)
        return ReadAlignment(alignment_score(first.member, pairs, lens), lens)


class EngineRun:
    """A run whose translations CTranslate2 makes."""

    def __init__(self, run: TranslationRun, precision: Precision = "float32") -> None:
        self.run = run
        self.engine = CTranslate2Engine(
            run.model,
            run.tokenizers.source,
            run.tokenizers.target,
            precision=precision,
            threads=torch.get_num_threads(),
        )

    def translate(self, texts: Sequence[str], *, first: int = 1, **settings: Any) -> list[Translation]:
        """As ``Ensemble.translate``; without max_length, twice the longest source of the texts and ten more."""
        decode = decode_settings(self.run.recipe.decode, **settings)
        ids = self.run.tokenizers.source.encode_batch(texts)
        Translator([self.run.member]).check_lengths([ids], first)
        spoken = [i for i, one in enumerate(ids) if one and texts[i].strip()]
        results = [Translation(text, (Candidate("", 0.0, True),)) for text in texts]
        found = self.engine.translate(
            [ids[i] for i in spoken],
            beam=decode.beam,
            nbest=decode.nbest,
            length_penalty=decode.length_penalty,
            max_length=decode.max_length or 2 * max((len(ids[i]) for i in spoken), default=0) + 10,
        )
        target = self.run.tokenizers.target
        for i, hypotheses in zip(spoken, found, strict=True):
            candidates = (Candidate(target.decode(one.tokens), one.score, one.finished) for one in hypotheses)
            results[i] = Translation(texts[i], tuple(candidates))
        return results


def compare(a: Evaluation, b: Evaluation) -> TranslationComparison:
    """The paired test of two evaluations of the same data."""
    if [pair.target for pair in a.pairs] != [pair.target for pair in b.pairs]:
        raise DataError("two runs can only be compared on the same test sentences")
    return compare_translations(
        [one.text for one in a.translations], [one.text for one in b.translations], [pair.target for pair in a.pairs]
    )
