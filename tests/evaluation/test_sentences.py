import math
from random import Random

import pytest
from sacrebleu.metrics import BLEU

from saccade.evaluation.sentences import overlaps, sentence_bleu, sentence_gleu


def test_overlaps_are_clipped() -> None:
    found = overlaps([7, 7, 7, 8], [7, 7, 8, 9, 9])
    assert [(one.hypothesis, one.reference, one.both) for one in found] == [(4, 5, 3), (3, 4, 2), (2, 3, 1), (1, 2, 0)]


def test_bleu_by_hand() -> None:
    """p = 3/4, (2 + 1)/(3 + 1), (1 + 1)/(2 + 1), (0 + 1)/(1 + 1); brevity exp(1 − 5/4)."""
    expected = math.exp(1 - 5 / 4) * (3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert sentence_bleu([7, 7, 7, 8], [7, 7, 8, 9, 9]) == pytest.approx(expected)


def test_gleu_by_hand() -> None:
    """6 matches among 10 n-grams of the hypothesis and 14 of the reference: recall is the lesser."""
    assert sentence_gleu([7, 7, 7, 8], [7, 7, 8, 9, 9]) == pytest.approx(6 / 14)
    assert sentence_gleu([7, 7, 8, 9, 9], [7, 7, 7, 8]) == pytest.approx(6 / 14)


@pytest.mark.parity
def test_bleu_is_sacrebleus_with_one_added() -> None:
    theirs, random = BLEU(smooth_method="add-k", smooth_value=1, tokenize="none"), Random(1)
    for _ in range(200):
        hypothesis, reference = ([random.randrange(6) for _ in range(random.randint(1, 9))] for _ in range(2))
        expected = theirs.sentence_score(" ".join(map(str, hypothesis)), [" ".join(map(str, reference))]).score / 100
        assert sentence_bleu(hypothesis, reference) == pytest.approx(expected), (hypothesis, reference)


@pytest.mark.parametrize("reward", [sentence_bleu, sentence_gleu])
def test_from_nothing_to_everything(reward: object) -> None:
    assert callable(reward)
    for reference in ([5], [5, 6], [5, 6, 7, 8, 9]):
        assert reward(reference, reference) == pytest.approx(1.0)
        assert reward([], reference) == reward([1, 2], reference) == 0.0
