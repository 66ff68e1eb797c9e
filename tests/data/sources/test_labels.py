import pytest

from saccade.data.examples import Labelled, Tagged
from saccade.data.sources import LabelSet, found_labels, found_tags, number_of
from saccade.errors import DataError


def labelled(*labels: str | None) -> list[Labelled]:
    return [Labelled("x", label=label, where=f"a.tsv:{number}") for number, label in enumerate(labels, start=1)]


def test_names_by_the_alphabet_and_numbers_by_size() -> None:
    assert found_labels(labelled("sad", "glad", "sad"), "a.tsv").names == ("glad", "sad")
    assert found_labels(labelled("10", "9", "-1"), "a.tsv").names == ("-1", "9", "10")


def test_one_class_only() -> None:
    with pytest.raises(DataError, match=r'a.tsv: all of 3 examples have the label "1": a classifier needs two classes'):
        found_labels(labelled("1", "1", "1"), "a.tsv")


def test_no_label_to_learn_from() -> None:
    with pytest.raises(DataError, match=r"a.tsv:2: has no label: every example to learn from needs one"):
        found_labels(labelled("1", None), "a.tsv")


def test_the_number_of_a_label() -> None:
    names = LabelSet(("glad", "sad"))
    assert [names.number(label, "a.tsv:1") for label in ("sad", "glad")] == [1, 0]
    with pytest.raises(DataError, match=r'a.tsv:7: unknown label "sadd" \(did you mean sad\?\); the known ones are gl'):
        names.number("sadd", "a.tsv:7")
    with pytest.raises(DataError, match=r"a.tsv:7: has no label: expected one of glad, sad"):
        names.number(None, "a.tsv:7")


def test_many_labels_are_not_all_listed() -> None:
    with pytest.raises(DataError, match=r"the known ones are 0, 1, .*, 19 and 80 more$"):
        LabelSet(tuple(str(number) for number in range(100))).number("x", "a.tsv:1")


def test_both_tags_of_every_type() -> None:
    sentences = [Tagged(("a", "b"), ("O", "B-Y")), Tagged(("c",), ("B-X",))]
    assert found_tags(sentences, "ner.txt").names == ("O", "B-X", "I-X", "B-Y", "I-Y")
    with pytest.raises(DataError, match=r"ner.txt: every tag is O: a tagger needs entities to learn from"):
        found_tags([Tagged(("a",), ("O",))], "ner.txt")


def test_plain_tags_are_those_that_were_found() -> None:
    sentences = [Tagged(("a", "dog"), ("DET", "NOUN")), Tagged(("runs",), ("VERB",))]
    assert found_tags(sentences, "pos.txt", tags="plain").names == ("DET", "NOUN", "VERB")
    with pytest.raises(DataError, match=r'pos.txt: every tag is "X": a tagger needs two tags at least'):
        found_tags([Tagged(("a",), ("X",))], "pos.txt", tags="plain")


def test_numbers() -> None:
    assert [number_of(example) for example in labelled("3.800", "-1", "2e1")] == [3.8, -1.0, 20.0]


@pytest.mark.parametrize(
    ("label", "given"), [("good", 'the label is "good"'), ("nan", 'the label is "nan"'), (None, "has no label")]
)
def test_what_is_no_number(label: str | None, given: str) -> None:
    with pytest.raises(DataError, match=f"a.tsv:1: {given}: a regression expects a number, such as 3.5"):
        number_of(labelled(label)[0])
