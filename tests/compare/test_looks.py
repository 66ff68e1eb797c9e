import numpy as np

from compare.parts import sentences
from saccade.compare.looks import chosen
from saccade.data.examples import Pair
from saccade.runs.run import LONGEST

PAIRS = sentences()


def test_the_sentence_of_middle_length_among_those_that_can_be_read() -> None:
    lengths = [len(pair.source.split()) for pair in PAIRS]
    assert max(lengths) > LONGEST
    found = chosen(PAIRS)
    assert found is not None
    assert len(found.source.split()) == np.quantile([n for n in lengths if n <= LONGEST], 0.5, method="higher")


def test_where_all_are_long_one_is_drawn_all_the_same() -> None:
    long = Pair(" ".join(["w"] * 40), "x")
    assert chosen([long]) == long


def test_empty_lines_are_not_looked_at() -> None:
    assert chosen([Pair("a b", " "), Pair("", "a")]) is None
    assert chosen([Pair("a b", " "), Pair("a", "b")]) == Pair("a", "b")
