import time
from collections.abc import Callable

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest as SacrebleuPairedTest

from saccade.errors import DataError
from saccade.evaluation.translation import _Counted, compare_translations, score_translations

WORDS = [
    "the",
    "a",
    "small",
    "big",
    "red",
    "blue",
    "circle",
    "square",
    "is",
    "left",
    "of",
    "above",
    "two",
    "Paris",
    "été",
]


def corpus(sentences: int, seed: int) -> list[str]:
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(WORDS, size=generator.integers(4, 14))) + "." for _ in range(sentences)]


def spoiled(texts: list[str], share: float, seed: int) -> list[str]:
    generator = np.random.default_rng(seed)
    return [
        " ".join(str(generator.choice(WORDS)) if generator.random() < share else word for word in text.split())
        for text in texts
    ]


def test_scores_and_signatures_are_sacrebleus() -> None:
    references = corpus(80, 0)
    hypotheses = spoiled(references, 0.3, 1)
    scores = score_translations(hypotheses, references, resamples=0)
    for score, metric in zip(scores.scores, (BLEU(), BLEU(lowercase=True), CHRF()), strict=True):
        assert score.value == pytest.approx(metric.corpus_score(hypotheses, [references]).score, abs=1e-9)
        assert score.signature == metric.get_signature().format()
        assert score.interval is None
    assert scores.sentences == 80
    assert [score.name for score in scores.scores] == ["BLEU", "BLEU lowercase", "chrF2"]


def test_perfect_and_hopeless() -> None:
    references = corpus(20, 0)
    perfect = score_translations(references, references)
    assert perfect.bleu.value == pytest.approx(100)
    assert perfect.chrf.value == pytest.approx(100)
    assert perfect.bleu.interval is not None
    assert perfect.bleu.interval.low == pytest.approx(100)
    hopeless = score_translations([""] * 20, references)
    assert hopeless.bleu.value == 0
    assert hopeless.chrf.value == 0


def test_case_counts_in_bleu_only() -> None:
    references = corpus(20, 0)
    scores = score_translations([text.upper() for text in references], references, resamples=0)
    assert scores.bleu.value < 50
    assert scores.bleu_lowercase.value == pytest.approx(100)


def test_several_references_even_of_unequal_number() -> None:
    references = [["a red circle is here.", "here is a red circle."], ["two blue squares are there."]]
    hypotheses = ["here is a red circle.", "two blue squares are there."]
    scores = score_translations(hypotheses, references, resamples=0)
    assert scores.bleu.value == pytest.approx(100)
    assert "nrefs:var" in scores.bleu.signature
    fewer = score_translations(hypotheses, [given[0] for given in references], resamples=0)
    assert fewer.bleu.value < 100
    assert "nrefs:1" in fewer.bleu.signature


def test_interval_equals_sacrebleus_bootstrap() -> None:
    references = corpus(150, 0)
    hypotheses = spoiled(references, 0.3, 1)
    scores = score_translations(hypotheses, references, resamples=1000, seed=12345)
    for score, metric in ((scores.bleu, BLEU()), (scores.chrf, CHRF())):
        theirs = metric.corpus_score(hypotheses, [references], n_bootstrap=1000)
        assert score.interval is not None
        assert score.signature == metric.get_signature().format()
        assert score.interval.low < score.value < score.interval.high
        # sacrebleu takes the 26th of 1000 from either end, this room interpolates at exactly 2.5 %
        assert (score.interval.high - score.interval.low) / 2 == pytest.approx(theirs._ci, abs=0.1)


def test_interval_is_decided_by_the_seed() -> None:
    references = corpus(60, 0)
    hypotheses = spoiled(references, 0.3, 1)
    same, again, other = (score_translations(hypotheses, references, seed=seed) for seed in (5, 5, 6))
    assert same == again
    assert same.bleu.interval != other.bleu.interval
    assert "seed:5" in same.bleu.signature
    assert "bs:1000" in same.bleu.signature


@pytest.mark.timing
def test_resampling_is_quicker_than_sacrebleus() -> None:
    """Side by side, the best of three: a machine that is slow today is slow for both."""
    references = corpus(1000, 0)
    hypotheses = spoiled(references, 0.3, 1)

    def ours() -> object:
        return score_translations(hypotheses, references, resamples=1000)

    def theirs() -> object:
        metrics = (BLEU(), BLEU(lowercase=True, force=True), CHRF())
        return [metric.corpus_score(hypotheses, [references], n_bootstrap=1000) for metric in metrics]

    assert min(_seconds(ours) for _ in range(3)) < min(_seconds(theirs) for _ in range(3))


def _seconds(work: Callable[[], object]) -> float:
    # of this thread alone: others of the process, such as a service of earlier tests, may be at work
    began = time.thread_time()
    work()
    return time.thread_time() - began


def test_resampled_scores_give_sacrebleus_p_value() -> None:
    references = corpus(120, 0)
    a, b = spoiled(references, 0.35, 1), spoiled(references, 0.30, 2)
    _, theirs = SacrebleuPairedTest(
        [("a", a), ("b", b)], {"BLEU": BLEU(), "chrF2": CHRF()}, [references], test_type="bs", n_samples=500
    )()
    compared = compare_translations(a, b, references, resamples=500, seed=12345)
    for test, metric in ((compared.bleu, BLEU()), (compared.chrf, CHRF())):
        their_a, their_b = theirs[test.metric]
        assert test.a.value == pytest.approx(their_a.score, abs=1e-9)
        assert test.b.value == pytest.approx(their_b.score, abs=1e-9)
        streams: list[list[str | None]] = [list(references)]
        values_a, values_b = (
            _Counted(test.metric, metric, system, streams).resampled(resamples=500, seed=12345) for system in (a, b)
        )
        sizes = np.abs(values_b - values_a)
        one_sided = ((sizes - sizes.mean() > abs(test.difference)).sum() + 1) / 501
        assert one_sided == pytest.approx(their_b.p_value, abs=2 / 501)
        assert their_b.p_value <= test.p_value <= 3 * their_b.p_value + 0.02


def test_a_better_system_is_found_better() -> None:
    references = corpus(200, 0)
    compared = compare_translations(spoiled(references, 0.5, 1), spoiled(references, 0.2, 2), references)
    assert compared.bleu.difference == compared.bleu.b.value - compared.bleu.a.value
    assert 0 < compared.bleu.interval.low < compared.bleu.difference < compared.bleu.interval.high
    assert compared.bleu.p_value < 0.01
    assert compared.chrf.p_value < 0.01
    assert compared.sentences == 200


def test_equal_systems_do_not_differ() -> None:
    references = corpus(50, 0)
    system = spoiled(references, 0.3, 1)
    compared = compare_translations(system, system, references)
    assert compared.bleu.difference == 0
    assert compared.bleu.p_value == 1


def test_two_systems_of_one_quality_are_rarely_told_apart() -> None:
    references = corpus(100, 0)
    p_values = [
        compare_translations(
            spoiled(references, 0.3, 2 * run), spoiled(references, 0.3, 2 * run + 1), references, resamples=200
        ).bleu.p_value
        for run in range(20)
    ]
    assert sum(p_value < 0.05 for p_value in p_values) <= 4
    assert np.mean(p_values) > 0.3


def test_unequal_lengths() -> None:
    with pytest.raises(DataError, match="there are 1 hypotheses and 2 references: give exactly one translation"):
        score_translations(["a"], ["a", "b"])
    with pytest.raises(DataError, match="there are 3 translations of b and 2 references"):
        compare_translations(["a", "b"], ["a", "b", "c"], ["a", "b"])


def test_nothing_to_score() -> None:
    with pytest.raises(DataError, match="there are no reference sentences"):
        score_translations([], [])


def test_a_sentence_without_reference() -> None:
    with pytest.raises(DataError, match="sentence 2 has an empty list of references"):
        score_translations(["a", "b"], [["a"], []])


def test_resamples_below_zero() -> None:
    with pytest.raises(DataError, match="resamples is -1: give a positive number, or 0"):
        score_translations(["a"], ["a"], resamples=-1)
    with pytest.raises(DataError, match="resamples is 0: a bootstrap needs at least 1"):
        compare_translations(["a"], ["a"], ["a"], resamples=0)
