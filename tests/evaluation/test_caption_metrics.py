"""The values in coco_captions.json were computed by the standard code, pycocoevalcap, on sentences made up for it."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.evaluation.caption_metrics import bleu, bleu_of_one, cider, length, rouge_l

STANDARD = json.loads((Path(__file__).parent / "coco_captions.json").read_text(encoding="utf-8"))["cases"]


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@pytest.mark.parity
@pytest.mark.parametrize("case", STANDARD)
def test_equal_to_the_standard_code(case: dict[str, Any]) -> None:
    captions = [words(text) for text in case["captions"]]
    references = [[words(text) for text in texts] for texts in case["references"]]
    found = [one.value / 100 for one in bleu(captions, references)]
    assert found == pytest.approx(case["bleu"], rel=1e-9, abs=1e-12)
    assert rouge_l(captions, references).value / 100 == pytest.approx(case["rouge_l"], rel=1e-9, abs=1e-12)
    assert cider(captions, references).value / 100 == pytest.approx(case["cider"], rel=1e-9, abs=1e-12)


def test_there_are_some_dozens_of_cases_and_they_differ() -> None:
    assert len(STANDARD) >= 36
    assert len({round(case["cider"], 6) for case in STANDARD}) > 20


def test_bleu_by_hand() -> None:
    # five words against a reference of six: 4 of 5 words found, 2 of 4 pairs; brevity e^(1 − 6/5)
    [one, two, *_] = bleu([words("a dog runs a here")], [[words("the a dog runs right here")]])
    assert one.value == pytest.approx(100 * math.exp(-0.2) * 4 / 5)
    assert two.value == pytest.approx(100 * math.exp(-0.2) * math.sqrt(4 / 5 * 2 / 4))


def test_length_tells_what_brevity_took() -> None:
    """Five words where the closest reference has six; the second caption is as long as its reference."""
    captions = [words("a dog runs a here"), words("two cats")]
    references = [[words("the a dog runs right here"), words("a big dog is running here now")], [words("a cat")]]
    found = length(captions, references)
    assert found.value == pytest.approx(100 * 7 / 8)
    assert found.score(np.array([1, 0])) == pytest.approx(100 * 5 / 6)
    [one, *_] = bleu(captions, references)
    assert one.value / math.exp(1 - 100 / found.value) == pytest.approx(100 * 4 / 7)


def test_rouge_l_by_hand() -> None:
    # the longest common subsequence is "a dog here": P = 3/4, R = 3/5
    score = rouge_l([words("a dog sits here")], [[words("a big dog runs here")]])
    assert score.value == pytest.approx(100 * 2.44 * 0.75 * 0.6 / (0.6 + 1.44 * 0.75))


def test_cider_of_one_picture_is_nothing() -> None:
    # every n-gram is in the references of all pictures, so that none says anything
    assert cider([words("a dog")], [[words("a dog")]]).value == 0


def test_a_resample_counts_pictures_as_often_as_drawn() -> None:
    captions = [words("a dog runs on the sand"), words("two cats sleep on a bed")]
    references = [[words("a dog runs on the beach")], [words("one cat sleeps in the garden")]]
    twice_first = np.array([2, 0])
    alone = [one.value for one in bleu(captions[:1], references[:1])]
    assert [one.score(twice_first) for one in bleu(captions, references)] == pytest.approx(alone)
    assert rouge_l(captions, references).score(twice_first) == pytest.approx(
        rouge_l(captions[:1], references[:1]).value
    )
    both = cider(captions, references)
    assert both.score(twice_first) + both.score(np.array([0, 2])) == pytest.approx(2 * both.value)


def test_what_cannot_be_scored() -> None:
    with pytest.raises(DataError, match="there are 1 captions and 2 pictures with references: give one for each"):
        rouge_l([("a",)], [[("a",)], [("b",)]])
    with pytest.raises(DataError, match="picture 2 has no reference: give at least one caption"):
        bleu([("a",), ("b",)], [[("a",)], []])
    with pytest.raises(DataError, match="the references of picture 1 are texts: give each as its words"):
        cider([("a",)], [["a dog"]])  # type: ignore[list-item]


def test_bleu_of_one_caption_by_hand() -> None:
    """ "a b c" against "a b d" and "b c d": 3 of 3 words, (2 + 1)/(2 + 1) pairs, (0 + 1)/(1 + 1) threes, 1/1 fours."""
    references = [("a", "b", "d"), ("b", "c", "d")]
    assert bleu_of_one(("a", "b", "c"), references) == pytest.approx(0.5**0.25)
    # one word of length 1, the references have 3: e^(1 − 3)
    assert bleu_of_one(("a",), references) == pytest.approx(math.exp(-2))
    assert bleu_of_one(("x", "y"), references) == 0
    assert bleu_of_one((), references) == 0
