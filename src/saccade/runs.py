"""A run that was trained: open its folder, and translate, look inside, evaluate with it.

>>> run = saccade.load("runs/demo-1")
>>> run.translate("a small red circle is left of two blue squares").text
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, overload

import torch

from saccade.attention import Attended, attention_layers, clearest_cross, record
from saccade.data.examples import Pair
from saccade.errors import DataError, DecodingError, RunError
from saccade.evaluation.results import Result, append_result
from saccade.evaluation.translation import TranslationComparison, TranslationScores, compare_translations
from saccade.evaluation.translation import score_translations as score
from saccade.interop.ctranslate2 import CTranslate2Engine, Precision
from saccade.models import Seq2Seq, catalogue
from saccade.recipe import Recipe
from saccade.recipe import load as load_recipe
from saccade.tasks.alignment import ReadAlignment, alignment_score, choose_lens
from saccade.tasks.corpus import load_tokenizers, pairs_of
from saccade.tasks.forced import forced_attention
from saccade.tasks.spool import read_spool
from saccade.tasks.translator import Candidate, Member, Tokenizers, Translation, Translator
from saccade.training.folder import RunFolder
from saccade.training.setup import corpus_settings, decode_settings, make_model, use_machine
from saccade.training.storage import load_tensors
from saccade.training.weights import put_weights
from saccade.view.display import translation_html

ALIGNED = 100  # validation pairs on which the lens for alignments is chosen


@dataclass(frozen=True)
class Look:
    """A translation and what every attention layer looked at while it was made."""

    source: str
    target: str
    layers: tuple[Attended, ...]

    def __getitem__(self, layer: str) -> Attended:
        found = {one.layer: one for one in self.layers}
        if layer not in found:
            raise DecodingError(f"no attention layer {layer!r} was recorded; there are {', '.join(found)}")
        return found[layer]

    def _repr_html_(self) -> str:
        return translation_html(self.source, self.target, self.clearest())

    def clearest(self) -> Attended | None:
        """The cross-attention that is drawn when nobody chose."""
        layer = clearest_cross(one.layer for one in self.layers)
        return None if layer is None else self[layer]


@dataclass(frozen=True)
class Evaluation:
    """The scores of one run, or of an ensemble, on one data set, and the texts they are scores of."""

    scores: TranslationScores
    alignment: ReadAlignment | None
    pairs: tuple[Pair, ...] = field(repr=False)
    translations: tuple[Translation, ...] = field(repr=False)
    result: Result = field(repr=False)


class Run:
    """A trained model with its recipe and tokenizers."""

    def __init__(self, folder: RunFolder, recipe: Recipe, model: Seq2Seq, tokenizers: Tokenizers) -> None:
        self.folder = folder
        self.recipe = recipe
        self.model = model
        self.tokenizers = tokenizers

    def __repr__(self) -> str:
        return f"Run({str(self.folder.path)!r}, {self.recipe.model.preset})"

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the attention layers, for ``saccade.record``."""
        return tuple(attention_layers(self.model))

    @property
    def member(self) -> Member:
        return Member(self.model, self.tokenizers)

    @overload
    def translate(self, texts: str, **settings: Any) -> Translation: ...

    @overload
    def translate(self, texts: Sequence[str], **settings: Any) -> list[Translation]: ...

    def translate(self, texts: str | Sequence[str], **settings: Any) -> Translation | list[Translation]:
        """One text or many.

        ``settings``: beam, length_penalty, max_length, nbest, batch_tokens, replace_unknown; else the recipe's.
        """
        found = Ensemble([self]).translate([texts] if isinstance(texts, str) else texts, **settings)
        many: list[Translation] = [ShownTranslation(one.source, one.candidates, run=self) for one in found]
        return many[0] if isinstance(texts, str) else many

    def test_set(self, data: str | None = None) -> str:
        """What to evaluate on: ``data``, or the recipe's test set."""
        spec = data or self.recipe.data.test
        if spec is None:
            raise DataError("the recipe names no data.test: say what to evaluate on, with --data on the command line")
        return spec

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


@dataclass(frozen=True)
class ShownTranslation(Translation):
    """A translation that draws its attention when a notebook displays it."""

    run: Run = field(repr=False, compare=False, kw_only=True)

    def _repr_html_(self) -> str:
        if not self.text.strip():
            return translation_html(self.source, self.text, None)
        return self.run.look(self.source, self.text)._repr_html_()


class Ensemble:
    """One run, or several that write together."""

    def __init__(self, runs: Sequence[Run]) -> None:
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
        """Alignment error, where the truth is known and the model attends to the source.

        The layer and head to read are chosen on validation pairs.
        """
        first = self.runs[0]
        if not any(layer.endswith(".cross") for layer in first.layers):
            return None
        held = first.folder.data / "valid.jsonl"
        valid = [pair for pair in read_spool(held) if pair.alignment is not None][:ALIGNED] if held.exists() else []
        if not valid or not any(pair.alignment is not None for pair in pairs):
            return None
        lens = choose_lens(first.member, valid)
        return ReadAlignment(alignment_score(first.member, pairs, lens), lens)


class EngineRun:
    """A run whose translations CTranslate2 makes."""

    def __init__(self, run: Run, precision: Precision = "float32") -> None:
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
        if decode.replace_unknown:
            raise DecodingError(
                "CTranslate2 does not tell where its model looked, so that unknown words cannot be replaced: "
                "decode with Saccade, or with --no-replace-unknown"
            )
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


def load(path: str | Path) -> Run:
    """Opens a run folder; its best weights are checked and loaded."""
    folder = RunFolder.open(Path(path))
    if not folder.model.exists():
        raise RunError(f"{path} has no trained weights yet: go on with `saccade resume {path}`")
    recipe = load_recipe(folder.recipe, models=catalogue())
    use_machine(recipe.train.threads)
    tokenizers = load_tokenizers(folder.path)
    model = make_model(recipe, tokenizers)
    put_weights(model, load_tensors(folder.model), origin=folder.model)
    if not isinstance(model, Seq2Seq):
        raise RunError(f"{path} holds a {type(model).__name__}, which does not translate")
    return Run(folder, recipe, model.eval(), tokenizers)
