import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.data.examples import Link
from saccade.errors import DataError
from saccade.evaluation.alignment import alignment_error_rate, links_from_weights


def links(*pairs: tuple[int, int]) -> frozenset[Link]:
    return frozenset(Link(source, target) for source, target in pairs)


def naive_links(weights: list[list[float]], source_words: list[int], target_words: list[int]) -> frozenset[Link]:
    found = set()
    for target in set(target_words) - {-1}:
        rows = [row for row, word in zip(weights, target_words, strict=True) if word == target]
        best, best_weight = None, 0.0
        for source in sorted(set(source_words) - {-1}):
            total = 0.0
            for row in rows:
                for weight, word in zip(row, source_words, strict=True):
                    if word == source:
                        total += weight / len(rows)
            if total > best_weight + 1e-9:
                best, best_weight = source, total
        if best is not None:
            found.add(Link(best, target))
    return frozenset(found)


def test_error_rate_by_hand() -> None:
    # A = 3 links, S = 4 links, both = 2: AER = 1 - 4/7
    score = alignment_error_rate([links((0, 0), (1, 1)), links((2, 0))], [links((0, 0), (1, 1), (2, 2)), links((0, 0))])
    assert score.error_rate == pytest.approx(3 / 7)
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == pytest.approx(2 / 4)


def test_perfect_and_empty() -> None:
    gold = [links((0, 1), (1, 0))]
    assert alignment_error_rate(gold, gold).error_rate == 0
    nothing = alignment_error_rate([frozenset()], gold)
    assert (nothing.error_rate, nothing.precision, nothing.recall) == (1, 0, 0)


def test_error_rate_refuses_what_it_cannot_score() -> None:
    with pytest.raises(DataError, match="there are 1 predicted and 2 gold alignments"):
        alignment_error_rate([frozenset()], [frozenset(), frozenset()])
    with pytest.raises(DataError, match="gold alignments of 1 sentences hold no link"):
        alignment_error_rate([links((0, 0))], [frozenset()])


def test_subwords_of_a_source_word_are_summed() -> None:
    # 0.3 + 0.3 for word 0 beats 0.4 for word 1
    weights = np.array([[0.3, 0.3, 0.4]])
    assert links_from_weights(weights, source_words=[0, 0, 1], target_words=[0]) == links((0, 0))


def test_subwords_of_a_target_word_are_averaged() -> None:
    weights = np.array([[0.6, 0.4], [0.1, 0.9]])
    assert links_from_weights(weights, source_words=[0, 1], target_words=[0, 0]) == links((1, 0))


def test_tokens_of_no_word_are_left_out() -> None:
    weights = np.array([[0.9, 0.06, 0.04], [0.2, 0.3, 0.5]])
    assert links_from_weights(weights, source_words=[-1, 0, 1], target_words=[3, -1]) == links((0, 3))


def test_a_word_that_looks_at_no_word_has_no_link() -> None:
    assert links_from_weights(np.array([[1.0, 0.0]]), source_words=[-1, 0], target_words=[0]) == frozenset()


def test_sentences_without_words() -> None:
    assert links_from_weights(np.array([[1.0]]), source_words=[-1], target_words=[0]) == frozenset()
    assert links_from_weights(np.array([[1.0]]), source_words=[0], target_words=[-1]) == frozenset()


@pytest.mark.property
@given(st.data())
@settings(max_examples=60)
def test_as_the_naive_loop(data: st.DataObject) -> None:
    source_words = data.draw(st.lists(st.integers(-1, 4), min_size=1, max_size=7))
    target_words = data.draw(st.lists(st.integers(-1, 4), min_size=1, max_size=7))
    seed = data.draw(st.integers(0, 2**16))
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(source_words)), size=len(target_words))
    found = links_from_weights(weights, source_words=source_words, target_words=target_words)
    assert found == naive_links(weights.tolist(), source_words, target_words)


def test_weights_that_do_not_fit() -> None:
    with pytest.raises(DataError, match=r"shape \(2, 3\), but there are 2 target tokens \(rows\) and 2 source"):
        links_from_weights(np.ones((2, 3)), source_words=[0, 1], target_words=[0, 1])
    with pytest.raises(DataError, match="hold NaN or infinity"):
        links_from_weights(np.array([[np.nan]]), source_words=[0], target_words=[0])
    with pytest.raises(DataError, match="word indices count from 0, and -1 means no word; given was -2"):
        links_from_weights(np.array([[1.0]]), source_words=[-2], target_words=[0])
