"""Two parallel files."""

import pytest

from saccade.data.sources import read_pairs
from saccade.errors import DataError


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_lines_are_paired_and_placed(write, ending):
    write(f"corpus/train.en{ending}", "one\n\ntwo")
    write(f"corpus/train.de{ending}", "eins\nx\nzwei\n")
    pairs = list(read_pairs(f"corpus/train.{{en,de}}{ending}"))
    assert [(pair.source, pair.target) for pair in pairs] == [("one", "eins"), ("", "x"), ("two", "zwei")]
    assert pairs[2].where == f"corpus/train.en{ending}:3"


def test_one_side_may_be_packed(write, read_all):
    write("a.en", "one\n")
    write("a.de.gz", "eins\n")
    assert read_all("a.{en,de.gz}") == [("one", "eins")]


def test_braces_anywhere_in_the_path(write, read_all):
    write("en/train.txt", "one\n")
    write("de/train.txt", "eins\n")
    assert read_all("{en,de}/train.txt") == [("one", "eins")]


def test_a_unicode_line_separator_does_not_shift_the_files(write, read_all):
    write("a.en", "one\u2028more\ntwo\n")
    write("a.de", "eins\nzwei\n")
    assert read_all("a.{en,de}") == [("one\u2028more", "eins"), ("two", "zwei")]


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_unequal_lengths_are_refused_before_the_first_pair(write, ending):
    write(f"corpus/train.en{ending}", "x\n" * 29_001)
    write(f"corpus/train.de{ending}", "x\n" * 29_000)
    with pytest.raises(DataError) as caught:
        read_pairs(f"corpus/train.{{en,de}}{ending}")
    assert str(caught.value) == (
        f"corpus/train.en{ending} has 29,001 lines, corpus/train.de{ending} has 29,000: "
        "parallel files must have equal length"
    )


def test_one_line_against_two(write, refusal):
    write("a.en", "x")
    write("a.de", "x\nx")
    assert refusal("a.{en,de}") == "a.en has 1 line, a.de has 2: parallel files must have equal length"


def test_the_same_file_twice(write, refusal):
    write("a.en", "x")
    assert refusal("a.{en,en}") == "a.en is named for both sides: expected two different files"


def test_an_encoding_error_names_the_file_of_its_side(write, refusal):
    write("a.en", "x\ny\n")
    write("a.de", b"x\n\xff\n")
    assert refusal("a.{en,de}").startswith("a.de:2: not UTF-8: byte 0xff at byte offset 0")


@pytest.mark.parametrize("names", [{"source": "de", "target": "en"}, {"source": "de"}, {"target": "en"}])
def test_names_against_the_order_of_the_braces(write, refusal, names):
    write("a.en", "one\n")
    write("a.de", "eins\n")
    assert refusal("a.{en,de}", **names) == (
        f"a.{{en,de}} reads en to de, but source is {names.get('source')} and target is {names.get('target')}: "
        "the first name between the braces is the source"
    )


def test_names_that_agree_or_say_something_else(write, read_all):
    write("a.en", "one\n")
    write("a.de", "eins\n")
    assert read_all("a.{en,de}", source="en", target="de") == read_all("a.{en,de}", source="english") != []
