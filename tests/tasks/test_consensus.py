import math

from saccade.decoding import Hypothesis
from saccade.tasks.consensus import by_consensus


def said(text: str, probability: float, *, penalty: float = 0.0) -> Hypothesis:
    tokens = tuple(map(ord, text))
    log = math.log(probability)
    rows = tuple(range(len(tokens) + 1))
    return Hypothesis(tokens, log_probability=log, score=log / len(rows) ** penalty, finished=True, rows=rows)


def texts(hypotheses: list[Hypothesis]) -> list[str]:
    return ["".join(map(chr, one.tokens)) for one in hypotheses]


def test_what_most_have_in_common_beats_the_likeliest() -> None:
    found = by_consensus([said("xyz", 0.28), said("abcde", 0.23), said("abcdf", 0.23), said("abcd", 0.26)])
    assert texts(found)[0] == "abcd"
    assert texts(found)[-1] == "xyz"
    assert found[0].rows == (0, 1, 2, 3, 4), "each keeps the rows in which its attention is found"


def test_a_hypothesis_that_is_sure_is_not_outvoted() -> None:
    found = by_consensus([said("xyz", 0.97), said("abcde", 1e-4), said("abcdf", 1e-4), said("abcd", 1e-4)])
    assert texts(found)[0] == "xyz"


def test_votes_are_fourth_roots_of_probabilities() -> None:
    """ "ab" and "cd" have nothing in common; "cd" is half said in "cde": ⁴√p against ⁴√0.0081 + ½ ⁴√0.0016 = 0.4."""
    others = [said("cd", 0.0081), said("cde", 0.0016)]
    assert texts(by_consensus([said("ab", 0.39**4), *others]))[0] == "cd"
    assert texts(by_consensus([said("ab", 0.41**4), *others]))[0] == "ab"


def test_a_length_penalty_counts_in_the_votes() -> None:
    """Two texts that share nothing: the likelier is shorter, and by the letter the longer is likelier."""
    for penalty, best in ((0.0, "ab"), (0.5, "ab"), (1.0, "cdefg")):
        ranked = by_consensus([said("ab", 0.3, penalty=penalty), said("cdefg", 0.1, penalty=penalty)])
        assert texts(ranked)[0] == best


def test_what_is_certain_needs_no_vote() -> None:
    assert texts(by_consensus([said("ab", 1.0), said("ab", 1.0)])) == ["ab", "ab"]


def test_equals_stay_in_order() -> None:
    assert texts(by_consensus([said("ab", 0.2), said("cd", 0.2)])) == ["ab", "cd"]
    assert texts(by_consensus([said("", 0.2)])) == [""]
