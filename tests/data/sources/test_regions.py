"""Phrases and the boxes they speak of."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from saccade.data.examples import Box, Grounded, Region, WordSpan
from saccade.data.sources import read_regions
from saccade.errors import DataError

Write = Callable[[str, str | bytes], Path]

TEXT = "Two dogs run on the wet grass ."
RECORD = {
    "width": 200,
    "height": 100,
    "flickr8k_file": "a.jpg",
    "sentences": [
        {
            "text": TEXT,
            "phrases": [
                {"chain": "1", "start": 0, "end": 8},
                {"chain": "2", "start": 16, "end": 29},
                {"chain": "3", "start": 9, "end": 12},
            ],
        },
        {"text": "Dogs !", "phrases": []},
    ],
    "boxes": {"1": [[1, 1, 50, 100], [101, 51, 200, 75]], "2": [[1, 91, 200, 100]]},
}


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_regions(name: str, write: Write) -> None:
    write(name, json.dumps(RECORD) + "\n\n")
    dogs, grass = WordSpan(0, 2), WordSpan(4, 7)
    assert list(read_regions(name)) == [
        Grounded(
            "a.jpg",
            TEXT,
            (
                Region("Two dogs", Box(0.0, 0.0, 0.25, 1.0), dogs),
                Region("Two dogs", Box(0.5, 0.5, 1.0, 0.75), dogs),
                Region("the wet grass", Box(0.0, 0.9, 1.0, 1.0), grass),
            ),
            f"{name}:1",
        ),
        Grounded("a.jpg", "Dogs !", (), f"{name}:1"),
    ]
    assert TEXT.split()[grass.first : grass.end] == ["the", "wet", "grass"]


def test_a_part_of_a_word_is_the_word(write: Write) -> None:
    phrases = [{"chain": "2", "start": 5, "end": 7}]
    write("a.jsonl", json.dumps({**RECORD, "sentences": [{"text": TEXT, "phrases": phrases}]}))
    (found,) = read_regions("a.jsonl")
    assert found.regions[0].words == WordSpan(1, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"boxes": {"1": [[0, 1, 5, 5]]}}, "a.jsonl:1: the box [0, 1, 5, 5] is not on a picture of 200×100 pixels"),
        ({"boxes": {"1": [[9, 1, 201, 5]]}}, "a.jsonl:1: the box [9, 1, 201, 5] is not on a picture of 200×100 pixels"),
        ({"boxes": {"1": [[9, 1, 5, 5]]}}, "a.jsonl:1: the box [9, 1, 5, 5] is not on a picture of 200×100 pixels"),
        ({"boxes": {"1": [[9, 1, 5]]}}, "a.jsonl:1: not as Flickr30k Entities are written here (ValueError: "),
        ({"boxes": None}, "a.jsonl:1: not as Flickr30k Entities are written here (AttributeError: "),
        ({"flickr8k_file": None}, "a.jsonl:1: not as Flickr30k Entities are written here (KeyError: 'flickr8k_file or"),
        (
            {"sentences": [{"text": TEXT, "phrases": [{"chain": "1", "start": 30, "end": 40}]}]},
            f'a.jsonl:1: no phrase from character 30 to 40 in "{TEXT}"',
        ),
    ],
)
def test_bad_regions(change: dict[str, object], message: str, write: Write) -> None:
    write("a.jsonl", json.dumps({**RECORD, **change}))
    with pytest.raises(DataError) as caught:
        list(read_regions("a.jsonl"))
    assert str(caught.value).startswith(message)


def test_none_at_all(write: Write) -> None:
    write("a.jsonl", "\n\n")
    with pytest.raises(DataError, match=r"a.jsonl: no captions with regions found"):
        list(read_regions("a.jsonl"))
    with pytest.raises(DataError, match=r"b.jsonl: no such file"):
        read_regions("b.jsonl")
