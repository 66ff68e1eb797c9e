"""BLEU and chrF of translations through sacrebleu, with signature, bootstrap interval and paired test."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from saccade.errors import DataError
from saccade.evaluation.resampling import Interval, paired_p_value, percentile_interval, resampled_scores

References = Sequence[str] | Sequence[Sequence[str]]


@dataclass(frozen=True)
class Score:
    """One number, the signature that says how it was computed, and what resampling the sentences makes of it."""

    name: str
    value: float
    signature: str
    interval: Interval | None = None


@dataclass(frozen=True)
class TranslationScores:
    """The scores of one system on one test set."""

    bleu: Score
    bleu_lowercase: Score
    chrf: Score
    sentences: int

    @property
    def scores(self) -> tuple[Score, ...]:
        """All of them, in the order in which they are shown."""
        return (self.bleu, self.bleu_lowercase, self.chrf)


@dataclass(frozen=True)
class PairedTest:
    """Two systems by one metric on the same sentences. ``difference`` is ``b - a``: above zero, b is better."""

    metric: str
    a: Score
    b: Score
    difference: float
    interval: Interval
    p_value: float


@dataclass(frozen=True)
class TranslationComparison:
    """Two systems compared by paired bootstrap."""

    bleu: PairedTest
    chrf: PairedTest
    sentences: int


class _Counted:
    """The statistics of each sentence under one sacrebleu metric.

    sacrebleu sums these when it scores a corpus, but offers them under private names only; they are used in this class
    and nowhere else, and the tests hold every number made here against sacrebleu's public functions.
    """

    def __init__(self, name: str, metric: Metric, hypotheses: Sequence[str], streams: list[list[str | None]]) -> None:
        self.name = name
        self._metric = metric
        # sacrebleu takes None for a missing reference, though its annotation does not say so
        counts = metric._extract_corpus_statistics(hypotheses, cast(list[list[str]], streams))
        self._counts_NS = np.array(counts, dtype=np.float64)
        self.value = self._score(self._counts_NS.sum(axis=0))

    def _score(self, sums_S: NDArray[np.float64]) -> float:
        return float(self._metric._compute_score_from_stats(sums_S.tolist()).score)

    def resampled(self, *, resamples: int, seed: int) -> NDArray[np.float64]:
        return resampled_scores(self._counts_NS, self._score, resamples=resamples, seed=seed)

    def to_score(self, values: NDArray[np.float64] | None, *, resamples: int, seed: int) -> Score:
        signature = self._metric.get_signature()
        if values is None:
            return Score(self.name, self.value, signature.format())
        signature.update("bs", resamples)
        signature.update("seed", seed)
        return Score(self.name, self.value, signature.format(), percentile_interval(values))


def score_translations(
    hypotheses: Sequence[str], references: References, *, resamples: int = 1000, seed: int = 12345
) -> TranslationScores:
    """Cased BLEU, lowercased BLEU and chrF2 of detokenised ``hypotheses``, one for each sentence.

    ``references[i]`` is the reference of sentence ``i`` or a sequence of several. The interval holds the middle 95 % of
    ``resamples`` bootstrap resamples; 0 leaves it out.
    """
    streams = _reference_streams(references)
    _check_lengths({"hypotheses": hypotheses}, references)
    if resamples < 0:
        raise DataError(f"resamples is {resamples}: give a positive number, or 0 for scores without an interval")

    def score(name: str, metric: Metric) -> Score:
        counted = _Counted(name, metric, hypotheses, streams)
        values = counted.resampled(resamples=resamples, seed=seed) if resamples else None
        return counted.to_score(values, resamples=resamples, seed=seed)

    return TranslationScores(
        bleu=score("BLEU", BLEU()),
        # force: sacrebleu's warning about tokenised text has been given once already
        bleu_lowercase=score("BLEU lowercase", BLEU(lowercase=True, force=True)),
        chrf=score("chrF2", CHRF()),
        sentences=len(hypotheses),
    )


def compare_translations(
    a: Sequence[str], b: Sequence[str], references: References, *, resamples: int = 1000, seed: int = 12345
) -> TranslationComparison:
    """Paired bootstrap of two systems: both are scored on the same resamples of the sentences.

    The p-value is two-sided. sacrebleu's own counts one side only and so is about half as large when the systems
    differ clearly; the resamples themselves are the same.
    """
    streams = _reference_streams(references)
    _check_lengths({"translations of a": a, "translations of b": b}, references)

    def test(name: str, metric: Metric) -> PairedTest:
        first, second = (_Counted(name, metric, hypotheses, streams) for hypotheses in (a, b))
        values_a, values_b = (counted.resampled(resamples=resamples, seed=seed) for counted in (first, second))
        difference = second.value - first.value
        return PairedTest(
            metric=name,
            a=first.to_score(values_a, resamples=resamples, seed=seed),
            b=second.to_score(values_b, resamples=resamples, seed=seed),
            difference=difference,
            interval=percentile_interval(values_b - values_a),
            p_value=paired_p_value(values_b - values_a, difference),
        )

    return TranslationComparison(
        bleu=test("BLEU", BLEU(force=True)), chrf=test("chrF2", CHRF()), sentences=len(references)
    )


def _reference_streams(references: References) -> list[list[str | None]]:
    """sacrebleu's layout: the first reference of every sentence, then the second of every sentence, and so on.

    A sentence with fewer references than others has None in the later streams.
    """
    if not references:
        raise DataError("there are no reference sentences: a score needs at least one")
    of_sentence = [[given] if isinstance(given, str) else list(given) for given in references]
    for number, given in enumerate(of_sentence, start=1):
        if not given:
            raise DataError(f"sentence {number} has an empty list of references: give at least one for each sentence")
    most = max(len(given) for given in of_sentence)
    return [[given[place] if place < len(given) else None for given in of_sentence] for place in range(most)]


def _check_lengths(systems: dict[str, Sequence[str]], references: References) -> None:
    for name, hypotheses in systems.items():
        if len(hypotheses) != len(references):
            raise DataError(
                f"there are {len(hypotheses):,} {name} and {len(references):,} references: "
                "give exactly one translation for each reference sentence, an empty one where there is none"
            )
