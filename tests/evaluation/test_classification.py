import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.naive import naive_f1, naive_matthews
from saccade.errors import DataError
from saccade.evaluation.classification import accuracy, f1, matthews, word_accuracy

GOLD = ["1", "1", "1", "0", "0", "1"]
PREDICTED = ["1", "0", "1", "1", "0", "1"]
# right 4 of 6; of class 1: TP 3, FP 1, FN 1; of class 0: 1 right


def test_by_hand() -> None:
    assert accuracy(GOLD, PREDICTED).value == pytest.approx(400 / 6)
    assert f1(GOLD, PREDICTED, positive="1").value == pytest.approx(75.0)
    assert f1(GOLD, PREDICTED, positive="0").value == pytest.approx(50.0)
    # (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)) = (3·1 − 1·1) / √(4·4·2·2)
    assert matthews(GOLD, PREDICTED).value == pytest.approx(25.0)


def test_words_are_counted_and_sentences_drawn() -> None:
    found = word_accuracy([["DET", "NOUN", "VERB"], ["NOUN"]], [["DET", "VERB", "VERB"], ["NOUN"]])
    assert found.examples == 2
    assert found.value == pytest.approx(75)
    assert found.score(np.array([2, 0])) == pytest.approx(200 / 3)
    with pytest.raises(DataError, match="sentence 1 has 1 words and 2 predicted tags: give one each"):
        word_accuracy([["NOUN"]], [["NOUN", "VERB"]])


def test_the_ends_of_the_scale() -> None:
    turned = ["0" if label == "1" else "1" for label in GOLD]
    assert [accuracy(GOLD, GOLD).value, matthews(GOLD, GOLD).value] == pytest.approx([100, 100])
    assert [accuracy(GOLD, turned).value, matthews(GOLD, turned).value] == pytest.approx([0, -100])
    assert f1(GOLD, turned, positive="1").value == 0
    assert matthews(GOLD, ["1"] * 6).value == 0  # who always says the same says nothing


@pytest.mark.property
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=20), st.data())
@settings(max_examples=80)
def test_as_the_naive_definitions_on_any_sample(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    gold, predicted = ([pair[side] for pair in pairs] for side in (0, 1))
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs)).filter(any))
    drawn = [pair for pair, count in zip(pairs, times, strict=True) for _ in range(count)]
    drawn_gold, drawn_predicted = ([pair[side] for pair in drawn] for side in (0, 1))
    times_N = np.array(times)
    right = sum(ours == theirs for ours, theirs in drawn)
    assert accuracy(gold, predicted).score(times_N) == pytest.approx(100 * right / len(drawn))
    assert matthews(gold, predicted).score(times_N) == pytest.approx(
        100 * naive_matthews(drawn_gold, drawn_predicted), abs=1e-6
    )
    found = f1(gold, predicted, positive=gold[0]).score(times_N)
    assert found == pytest.approx(100 * naive_f1(drawn_gold, drawn_predicted, gold[0]))


def test_what_cannot_be_scored() -> None:
    with pytest.raises(DataError, match="there are 1 predictions and 6 labels: give one for each"):
        accuracy(GOLD, ["1"])
    with pytest.raises(DataError, match="there are no predictions to score"):
        matthews([], [])
    with pytest.raises(DataError, match='none of 6 examples has the label "yes", of which F1 is asked for; there are:'):
        f1(GOLD, PREDICTED, positive="yes")
