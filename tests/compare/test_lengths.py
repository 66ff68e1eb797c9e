import pytest

from saccade.compare.lengths import FEWEST, bleu_by_length, buckets
from saccade.evaluation.translation import score_translations


@pytest.mark.parametrize(
    ("lengths", "named"),
    [
        ((5, 12, 17, 25, 35, 45), ["1–9", "10–14", "15–19", "20–29", "30–39", "40+"]),
        ((5, 12, 17, 25), ["1–9", "10–14", "15–19", "20+"]),
        ((12, 45), ["1–39", "40+"]),
        ((60,), ["1+"]),
    ],
)
def test_a_bucket_has_sentences(lengths: tuple[int, ...], named: list[str]) -> None:
    assert [str(bucket) for bucket in buckets([*lengths] * FEWEST)] == named


def test_a_bucket_of_few_sentences_is_joined_to_the_next_shorter_one() -> None:
    many = [12] * FEWEST + [22] * FEWEST
    assert [str(bucket) for bucket in buckets(many + [45] * (FEWEST - 1))] == ["1–19", "20+"]
    assert [str(bucket) for bucket in buckets(many + [45] * FEWEST)] == ["1–19", "20–39", "40+"]


def test_few_sentences_have_one_bucket() -> None:
    assert [str(bucket) for bucket in buckets([3, 50])] == ["1+"]
    assert [str(bucket) for bucket in buckets([3] * (FEWEST - 1) + [12] * FEWEST)] == ["1+"]


def test_every_length_has_one_bucket() -> None:
    found = buckets([*range(1, 80)] * FEWEST)
    for words in range(1, 80):
        assert sum(words in bucket for bucket in found) == 1


def test_the_score_of_a_length_is_that_of_its_sentences_alone() -> None:
    sources = ["a " * 9, "a " * 12] * FEWEST
    references = ["one two three four five", "a big cat sees us all"] * FEWEST
    hypotheses = ["one two three four five", "a big cat hears us all"] * FEWEST
    short, long = bleu_by_length(sources, hypotheses, references)
    assert (short.words, short.sentences) == ("1–9", FEWEST)
    assert short.bleu == pytest.approx(100)
    assert (long.words, long.sentences) == ("10+", FEWEST)
    assert long.bleu == score_translations(hypotheses[1::2], references[1::2], resamples=0).bleu.value
