"""Splits that share nothing, statements that are all different, and the end of the world."""

from itertools import islice

import pytest

from saccade.errors import DataError
from saccade.scenes import LANGUAGES, SPLITS, Split, describe, realise, split_of
from saccade.scenes.descriptions import distinct
from saccade.scenes.plan import meaning


def test_statements_are_different_and_of_their_split() -> None:
    for split in SPLITS:
        descriptions = list(describe(split, 500, 0))
        assert len({meaning(description.statement) for description in descriptions}) == 500
        assert {split_of(description.statement) for description in descriptions} == {split}


def test_no_text_of_any_language_is_in_two_splits_whatever_seed_and_size(corpus: dict[str, list[str]]) -> None:
    texts: dict[str, dict[Split, set[str]]] = {language: {split: set() for split in SPLITS} for language in LANGUAGES}
    for language in LANGUAGES:
        texts[language]["train"].update(corpus[language])
    for seed, size in ((0, 800), (1, 400), (17, 200)):
        for split in SPLITS:
            for description in describe(split, size, seed):
                for language in LANGUAGES:
                    texts[language][split].add(realise(description.statement, language).text)
    for by_split in texts.values():
        assert not by_split["train"] & by_split["valid"]
        assert not by_split["train"] & by_split["test"]
        assert not by_split["valid"] & by_split["test"]


def test_a_smaller_size_is_the_beginning_of_a_larger_one() -> None:
    assert list(describe("train", 50, 3)) == list(islice(describe("train", 500, 3), 50))


def test_seeds_differ() -> None:
    assert list(describe("test", 50, 3)) != list(describe("test", 50, 4))


def test_a_world_that_is_told_says_how_much_there_was() -> None:
    few = list(describe("train", 7, 0))
    told = distinct(few * 20, 8, patience=50)
    assert list(islice(told, 7)) == few
    with pytest.raises(
        DataError, match=r"8 different sentences were asked for, but there are only 7: ask for a smaller"
    ):
        next(told)
    with pytest.raises(DataError, match="there are only 0"):
        next(distinct([], 1, patience=50))
