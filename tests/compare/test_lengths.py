import pytest

from saccade.compare.lengths import BUCKETS, bleu_by_length
from saccade.evaluation.translation import score_translations


def test_every_length_has_one_bucket() -> None:
    assert [str(bucket) for bucket in BUCKETS] == ["1–9", "10–14", "15–19", "20–24", "25+"]
    for words in range(1, 80):
        assert sum(words in bucket for bucket in BUCKETS) == 1


def test_the_score_of_a_length_is_that_of_its_sentences_alone() -> None:
    sources = ["a " * 9, "a " * 10, "a " * 12, "a " * 30]
    references = [
        "one two three four five",
        "the small dog runs home",
        "a big cat sees us all",
        "no more of this please",
    ]
    hypotheses = [references[0], references[1], "a big cat hears us all", "yes"]
    found = bleu_by_length(sources, hypotheses, references)
    assert [(one.words, one.sentences) for one in found] == [("1–9", 1), ("10–14", 2), ("25+", 1)]
    assert found[0].bleu == pytest.approx(100)
    assert found[1].bleu == score_translations(hypotheses[1:3], references[1:3], resamples=0).bleu.value
    assert found[2].bleu == 0
