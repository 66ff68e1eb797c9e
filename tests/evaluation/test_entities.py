import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.evaluation.entities import Entity, KindScore, compare_entities, entities, score_entities

TAGS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])


def naive_entities(tags: list[str]) -> set[Entity]:
    """Every stretch of words, tried against the rules of conlleval one by one."""

    def begins(place: int) -> bool:
        if tags[place] == "O":
            return False
        goes_on = place > 0 and tags[place - 1] != "O" and tags[place - 1][2:] == tags[place][2:]
        return tags[place].startswith("B-") or not goes_on

    found = set()
    for start in range(len(tags)):
        for end in range(start + 1, len(tags) + 1):
            inside = all(tags[place] != "O" and not begins(place) for place in range(start + 1, end))
            over = end == len(tags) or tags[end] == "O" or begins(end)
            if begins(start) and inside and over:
                found.add(Entity(tags[start][2:], start, end))
    return found


def test_chunks_by_hand() -> None:
    tags = ["I-PER", "I-PER", "B-PER", "I-LOC", "O", "B-ORG", "I-ORG", "B-ORG"]
    assert entities(tags) == {
        Entity("PER", 0, 2),  # an I- without B- begins one
        Entity("PER", 2, 3),
        Entity("LOC", 3, 4),  # another type ends one and begins one
        Entity("ORG", 5, 7),
        Entity("ORG", 7, 8),
    }
    assert entities(["O", "O"]) == entities([]) == frozenset()


@pytest.mark.property
@given(st.lists(TAGS, max_size=10))
@settings(max_examples=200)
def test_chunks_as_the_naive_rules(tags: list[str]) -> None:
    assert entities(tags) == naive_entities(tags)


GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC", "O"], ["B-ORG", "O"]]
PREDICTED = [["B-PER", "I-PER", "O", "B-ORG"], ["O", "B-LOC", "I-LOC"], ["B-ORG", "O"]]
# found 4 of 4; right are PER and the last ORG: the first ORG has another type, the longer LOC another end


def test_scores_by_hand() -> None:
    found = score_entities(GOLD, PREDICTED)
    assert [score.name for score in found.scores] == ["entity F1", "entity precision", "entity recall"]
    assert [score.value for score in found.scores] == pytest.approx([50, 50, 50])
    assert dict(found.by_kind) == {
        "LOC": KindScore(0, 0, 0, gold=2),
        "ORG": KindScore(50, 100, pytest.approx(200 / 3), gold=1),
        "PER": KindScore(100, 100, 100, gold=1),
    }
    assert found.sentences == 3
    assert found.f1.signature.startswith("sentences:3|entities:bio|bs:1000|seed:1|version:")


def test_precision_and_recall_are_of_the_right_sides() -> None:
    found = score_entities([["B-X", "B-X", "O"]], [["B-X", "O", "O"]], resamples=0)
    assert (found.precision.value, found.recall.value) == pytest.approx((100, 50))
    assert found.f1.value == pytest.approx(200 / 3)
    assert found.f1.interval is None


def test_nothing_found() -> None:
    found = score_entities([["B-X"]], [["O"]])
    assert [score.value for score in found.scores] == [0, 0, 0]


def test_iob1_and_bio_are_one() -> None:
    assert score_entities([["I-X", "I-X", "B-X"]], [["B-X", "I-X", "B-X"]], resamples=0).f1.value == 100


def test_the_interval_is_of_resampled_sentences() -> None:
    found = score_entities([["B-X"]] * 100, [["B-X"]] * 80 + [["O"]] * 20)
    assert found.recall.value == pytest.approx(80)
    assert found.recall.interval is not None
    half = 1.96 * np.sqrt(0.8 * 0.2 / 100) * 100
    assert found.recall.interval.low == pytest.approx(80 - half, abs=1.5)
    assert found.recall.interval.high == pytest.approx(80 + half, abs=1.5)


def test_two_taggers() -> None:
    gold = [["B-X"]] * 100
    test = compare_entities(gold, [["O"]] * 60 + gold[:40], [["O"]] * 10 + gold[:90])
    assert test.metric == "entity F1"
    assert test.difference == pytest.approx(100 * (180 / 190 - 80 / 140))
    assert test.p_value < 0.01
    assert test.a.signature.startswith("sentences:100|entities:bio|")


def test_what_cannot_be_scored() -> None:
    with pytest.raises(DataError, match="there are 1 tagged sentences and 2 gold sentences: give one for each"):
        score_entities([["O"], ["O"]], [["O"]])
    with pytest.raises(DataError, match="sentence 2 has 1 words and 2 predicted tags: give one each"):
        score_entities([["B-X"], ["O"]], [["B-X"], ["O", "O"]])
    with pytest.raises(DataError, match="the gold tags of 1 sentences hold no entity: there is nothing to score"):
        score_entities([["O"]], [["B-X"]])
