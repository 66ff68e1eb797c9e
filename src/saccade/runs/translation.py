"""A translator that was trained: translate, look inside and evaluate with it, alone or in an ensemble."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, overload

import torch

from saccade.attention import EVERYTHING, Asked
from saccade.data.examples import Direction, Pair
from saccade.data.tags import target_language
from saccade.decoding import Gone
from saccade.errors import DataError, DecodingError, RunError
from saccade.evaluation.results import Result, append_result
from saccade.evaluation.translation import TranslationComparison, TranslationScores, compare_translations
from saccade.evaluation.translation import score_translations as score
from saccade.interop.ctranslate2 import CTranslate2Engine, Precision
from saccade.models import Seq2Seq
from saccade.runs.run import LONGEST, Look, Run
from saccade.tasks.alignment import ReadAlignment, alignment_score, choose_lens
from saccade.tasks.corpus import Tag, in_turn, pairs_of
from saccade.tasks.forced import forced
from saccade.tasks.pivot import PivotTranslation, by_way_of
from saccade.tasks.spool import read_spool
from saccade.tasks.translator import Candidate, DecodeSettings, Into, Member, Translation, Translator
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
    def languages(self) -> tuple[str, ...]:
        """The languages that the run can be asked to translate into; none if it was trained for one direction."""
        return self.tokenizers.languages

    @property
    def member(self) -> Member:
        return Member(self.model, self.tokenizers)

    @overload
    def translate(
        self, texts: str, *, to: str | None = None, via: str | None = None, **settings: Any
    ) -> Translation: ...

    @overload
    def translate(
        self, texts: Sequence[str], *, to: str | None = None, via: str | None = None, **settings: Any
    ) -> list[Translation]: ...

    def translate(
        self, texts: str | Sequence[str], *, to: str | None = None, via: str | None = None, **settings: Any
    ) -> Translation | list[Translation]:
        """One text or many.

        ``settings``: beam, length_penalty, max_length, nbest, batch_tokens, replace_unknown; else the recipe's. A run
        that was trained for several target languages is told one of them with ``to``, and with ``via`` another to
        translate into first.
        """
        found = Ensemble([self]).translate([texts] if isinstance(texts, str) else texts, to=to, via=via, **settings)
        many: list[Translation] = [
            ShownTranslation(
                one.source,
                one.candidates,
                run=self,
                to=to,
                via=one.via if isinstance(one, PivotTranslation) else None,
            )
            for one in found
        ]
        return many[0] if isinstance(texts, str) else many

    def pairs(self, spec: str) -> list[Pair]:
        """Every pair of a test set: references stay untouched and nothing is dropped, however long or odd."""
        settings = corpus_settings(self.recipe)
        tag: Tag | None = "target" if self.languages else None
        return list(pairs_of(spec, "test", source=settings.source, target=settings.target, rules=None, tag=tag))

    def look(
        self,
        source: str,
        target: str | None = None,
        *,
        to: str | None = None,
        asked: Asked = EVERYTHING,
        **settings: Any,
    ) -> Look:
        """Translates and keeps what every layer attended to; with ``target``, what it attends to while writing that."""
        if not source.strip() or (target is not None and not target.strip()):
            raise DecodingError("there is nothing to look at in an empty text")
        if target is not None:
            _check_way([self], to=to)
            pair = Pair(source, target, direction=None if to is None else Direction(None, to))
            seen = forced(self.member, [pair], asked)
            return Look.of(source, target, seen, asked)
        with asked.recorder(self.model) as seen:
            translation = self.translate(source, to=to, **settings)
        return Look.of(source, translation.text, seen, asked)

    def example(self) -> Look:
        """The longest of the first validation sentences that can be read at a glance."""
        valid = list(read_spool(self.folder.data / "valid.jsonl"))
        short = [pair for pair in valid if 4 <= len(pair.source.split()) <= LONGEST] or valid[:1]
        chosen = max(short[:50], key=lambda pair: len(pair.source.split()))
        return self.look(chosen.source, to=chosen.into)


@dataclass(frozen=True)
class ShownTranslation(Translation):
    """A translation that draws its attention when a notebook displays it; ``via`` is the text halfway, if any."""

    run: TranslationRun = field(repr=False, compare=False, kw_only=True)
    to: str | None = field(default=None, kw_only=True)
    via: str | None = field(default=None, kw_only=True)

    def _repr_html_(self) -> str:
        if not self.text.strip():
            return translation_html(self.source, self.text, None)
        return self.run.look(self.via or self.source, self.text, to=self.to)._repr_html_()


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
        to: str | None = None,
        via: str | None = None,
        first: int = 1,
        on_progress: Callable[[int], None] = lambda done: None,
        gone: Gone | None = None,
        **settings: Any,
    ) -> list[Translation]:
        """``first`` is the number of the first text in messages; texts that are ``gone`` are given up (not by way)."""
        _check_way(self.runs, to=to, via=via)
        decode = decode_settings(self.runs[0].recipe.decode, **settings)
        return self._translate(texts, decode, into=to, via=via, first=first, on_progress=on_progress, gone=gone)

    def evaluate(
        self,
        data: str | None = None,
        *,
        via: str | None = None,
        pairs: Sequence[Pair] | None = None,
        command: str = "Ensemble.evaluate",
        on_progress: Callable[[int], None] = lambda done: None,
        **settings: Any,
    ) -> Evaluation:
        """Scores freely decoded text against untouched references, and keeps it in the first run's results.json.

        ``data`` is given like ``data.test`` in a recipe; without it the recipe's test set is taken. ``pairs`` are those
        of ``data`` when they were read already. ``via`` is a language to translate into first.
        """
        _check_way(self.runs, via=via)
        first = self.runs[0]
        spec = first.test_set(data)
        pairs = tuple(reader_of(self.runs).pairs(spec) if pairs is None else pairs)
        if via is not None and any(pair.direction is not None and pair.direction.source == via for pair in pairs):
            raise DecodingError(f"{spec} is written in {via} already: leave --via out")
        decode = decode_settings(first.recipe.decode, **settings)
        began = time.perf_counter()
        translations = self._translate(
            [pair.source for pair in pairs],
            decode,
            into=[pair.into for pair in pairs],
            via=via,
            on_progress=on_progress,
        )
        seconds = time.perf_counter() - began
        scores = score([one.text for one in translations], [pair.target for pair in pairs])
        alignment = self._alignment(pairs) if via is None else None
        result = Result(
            scores=scores.scores,
            data=spec,
            sentences=len(pairs),
            decode={
                **{name: value for name, value in asdict(decode).items() if name != "consensus"},
                "runs": len(self.runs),
                **({} if via is None else {"via": via}),
            },
            seconds=round(seconds, 3),
            command=command,
            alignment=None if alignment is None else {**asdict(alignment.score), "read_from": str(alignment.lens)},
        )
        append_result(first.folder.path, result)
        return Evaluation(scores, alignment, pairs, tuple(translations), result)

    def _translate(
        self,
        texts: Sequence[str],
        decode: DecodeSettings,
        *,
        into: Into,
        via: str | None,
        first: int = 1,
        on_progress: Callable[[int], None],
        gone: Gone | None = None,
    ) -> list[Translation]:
        leg = self.translator.translate
        if via is None:
            return leg(texts, decode, into=into, first=first, on_progress=on_progress, gone=gone)
        return by_way_of(via, leg, texts, decode, into=into, first=first, on_progress=on_progress)

    def _alignment(self, pairs: Sequence[Pair]) -> ReadAlignment | None:
        """Alignment error of the first run that attends to the source, where the truth is known.

        The layer and head to read are chosen on validation pairs.
        """
        first = next((run for run in self.runs if any(layer.endswith(".cross") for layer in run.layers)), None)
        if first is None:
            return None
        held = first.folder.data / "valid.jsonl"
        known = in_turn(read_spool(held)) if held.exists() else []
        valid = [pair for pair in known if pair.alignment is not None][:ALIGNED]
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

    def translate(
        self,
        texts: Sequence[str],
        *,
        to: str | None = None,
        via: str | None = None,
        first: int = 1,
        on_progress: Callable[[int], None] = lambda done: None,
        **settings: Any,
    ) -> list[Translation]:
        """As ``Ensemble.translate``; without max_length, twice the longest source of the texts and ten more."""
        _check_way([self.run], to=to, via=via)
        decode = decode_settings(self.run.recipe.decode, **settings)
        if decode.replace_unknown:
            raise DecodingError(
                "CTranslate2 does not tell where its model looked, so that unknown words cannot be replaced: "
                "decode with Saccade, or with --no-replace-unknown"
            )
        if via is None:
            return self._leg(texts, decode, into=to, first=first, on_progress=on_progress)
        return by_way_of(via, self._leg, texts, decode, into=to, first=first, on_progress=on_progress)

    def _leg(
        self,
        texts: Sequence[str],
        decode: DecodeSettings,
        *,
        into: Into,
        first: int,
        on_progress: Callable[[int], None],
    ) -> list[Translation]:
        ids = self.run.tokenizers.read(texts, into)
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
        on_progress(len(texts))
        return results


def reader_of(runs: Sequence[TranslationRun]) -> TranslationRun:
    """Whose way to read test data fits all of the runs: one that asks for the direction, if any does."""
    return next((run for run in runs if run.languages), runs[0])


def _check_way(runs: Sequence[TranslationRun], *, to: str | None = None, via: str | None = None) -> None:
    """A language can be asked for only where a run was trained with tags."""
    if (to is not None or via is not None) and not any(run.languages for run in runs):
        raise DecodingError(
            "this model was trained for one direction and cannot be asked for a language: leave --to and --via out, "
            "or train one with data.tag: target"
        )
    for run in runs:
        if via is not None and run.languages:
            target_language(via, run.languages)


def compare(a: Evaluation, b: Evaluation) -> TranslationComparison:
    """The paired test of two evaluations of the same data."""
    if [pair.target for pair in a.pairs] != [pair.target for pair in b.pairs]:
        raise DataError("two runs can only be compared on the same test sentences")
    return compare_translations(
        [one.text for one in a.translations], [one.text for one in b.translations], [pair.target for pair in a.pairs]
    )
