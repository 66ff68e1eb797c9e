import json
from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.evaluation.word_groups import GENDERED, WordGroup, WordGroups, word_groups


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def test_what_a_caption_names() -> None:
    assert GENDERED.named(words("a woman rides a horse")) == {"woman"}
    assert GENDERED.named(words("a boy and his mother")) == {"man", "woman"}
    assert GENDERED.named(words("a dog")) == set()
    assert GENDERED.is_neutral(words("a person rides"))
    assert not GENDERED.is_neutral(words("a person and a man"))
    assert not GENDERED.is_neutral(words("a dog"))
    assert GENDERED.place(words("two people and a girl with her dog")) == 4
    assert GENDERED.place(words("a dog")) is None


def test_the_truth_by_the_references() -> None:
    sure = [words("a woman runs"), words("a person runs"), words("a lady runs")]
    assert GENDERED.truth(sure) == "woman"
    assert GENDERED.truth(sure, agree=2) == "woman"
    assert GENDERED.truth(sure, agree=3) is None
    assert GENDERED.truth([*sure, words("a man runs")]) is None
    assert GENDERED.truth([words("a dog")]) is None


def test_any_lists() -> None:
    pets = WordGroups((WordGroup("dog", frozenset({"dog", "dogs"})), WordGroup("cat", frozenset({"cat"}))))
    assert pets.names == ("dog", "cat")
    assert pets.truth([words("two dogs"), words("an animal")]) == "dog"


def test_what_are_no_groups() -> None:
    dog = WordGroup("dog", frozenset({"dog"}))
    with pytest.raises(DataError, match="there are 1 groups of words: an audit compares at least two"):
        WordGroups((dog,))
    with pytest.raises(DataError, match='the word "dog" is in group dog and in neutral: a word belongs to one group'):
        WordGroups((dog, WordGroup("cat", frozenset({"cat"}))), frozenset({"dog"}))
    with pytest.raises(DataError, match='the word "Cat" of group cat has capitals'):
        WordGroups((dog, WordGroup("cat", frozenset({"Cat"}))))
    with pytest.raises(DataError, match="the group cat has no words"):
        WordGroups((dog, WordGroup("cat", frozenset())))


def test_groups_by_name_or_file(tmp_path: Path) -> None:
    assert word_groups("gendered") is GENDERED
    file = tmp_path / "pets.json"
    file.write_text(json.dumps({"groups": {"dog": ["dog", "puppy"], "cat": ["cat"]}, "neutral": ["animal"]}))
    found = word_groups(str(file))
    assert found.names == ("dog", "cat")
    assert found.neutral == {"animal"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"a": 1}',
        '{"groups": ["x"]}',
        '{"groups": {"a": 1, "b": 2}}',
        '{"groups": {"a": "woman", "b": "man"}}',
    ],
)
def test_files_that_are_no_groups(tmp_path: Path, text: str) -> None:
    file = tmp_path / "groups.json"
    file.write_text(text)
    with pytest.raises(DataError, match=r'groups\.json: not a file of word groups .*expected "gendered", or JSON such'):
        word_groups(str(file))


def test_groups_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a file of word groups"):
        word_groups(str(tmp_path / "none.json"))
    one = tmp_path / "one.json"
    one.write_text('{"groups": {"a": ["x"]}}')
    with pytest.raises(DataError, match="there are 1 groups of words: an audit compares at least two"):
        word_groups(str(one))
