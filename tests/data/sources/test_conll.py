"""Tagged sentences in the way of CoNLL."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.examples import Tagged
from saccade.data.sources import read_tagged, to_bio
from saccade.errors import DataError

Write = Callable[[str, str | bytes], Path]
TAGS = st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])


def test_two_columns(write: Write) -> None:
    write("ner.txt", "Ada B-PER\nLovelace I-PER\nslept O\n\n\nYork\tB-LOC\n")
    assert list(read_tagged("ner.txt")) == [
        Tagged(("Ada", "Lovelace", "slept"), ("B-PER", "I-PER", "O"), "ner.txt:1"),
        Tagged(("York",), ("B-LOC",), "ner.txt:6"),
    ]


def test_four_columns_document_starts_and_a_name_without_ending(write: Write) -> None:
    text = "-DOCSTART- -X- O O\r\n\r\nAda NNP I-NP I-PER\r\n-DOCSTART- O\r\nYork NNP B-NP I-LOC\r\n"
    write("eng.train", text)
    write("eng.train.gz", text)
    for name in ("eng.train", "eng.train.gz"):
        assert list(read_tagged(name)) == [
            Tagged(("Ada",), ("B-PER",), f"{name}:3"),
            Tagged(("York",), ("B-LOC",), f"{name}:5"),
        ]


def test_a_no_break_space_is_part_of_a_word(write: Write) -> None:
    write("ner.txt", "10\u00a0000 O\n")
    assert next(read_tagged("ner.txt")).words == ("10\u00a0000",)


def test_iob1_becomes_bio() -> None:
    iob1 = ["I-X", "I-X", "B-X", "I-Y", "O", "I-Y", "B-Y"]
    assert to_bio(iob1) == ("B-X", "I-X", "B-X", "B-Y", "O", "B-Y", "B-Y")


@pytest.mark.property
@given(st.lists(TAGS, max_size=12))
def test_bio_comes_out_as_it_went_in(tags: list[str]) -> None:
    bio = to_bio(tags)
    assert to_bio(bio) == bio
    for before, tag in zip(("O", *bio), bio, strict=False):
        assert not tag.startswith("I-") or before[2:] == tag[2:]
    assert [tag[2:] for tag in bio] == [tag[2:] for tag in tags]


def test_plain_tags_are_taken_as_they_are(write: Write) -> None:
    write("pos.txt", "Ada NNP\nslept VBD\n")
    assert next(read_tagged("pos.txt", tags="plain")).tags == ("NNP", "VBD")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ada B-PER\nslept\n", r"ner.txt:2: 1 column, expected a word, then perhaps other columns, and its tag as the"),
        ("Ada B-PER\n\nslept VBD O\n", r"ner.txt:3: 3 columns, expected 2 as in the lines before"),
        ("Ada S-PER\n", r'ner.txt:1: the tag is "S-PER": expected O, B-TYPE or I-TYPE, as in B-LOC'),
        ("Ada B-\n", r'ner.txt:1: the tag is "B-": expected O'),
        ("\n-DOCSTART- O\n\n", r"ner.txt: no sentence found: expected a word"),
    ],
)
def test_malformed_files(text: str, message: str, write: Write) -> None:
    write("ner.txt", text)
    with pytest.raises(DataError, match=message):
        list(read_tagged("ner.txt"))


def test_what_is_no_file() -> None:
    with pytest.raises(DataError, match=r"scenes:en: tagged sentences come from one file in the way of CoNLL"):
        read_tagged("scenes:en")
    with pytest.raises(DataError, match=r"gone.txt: no such file"):
        read_tagged("gone.txt")
