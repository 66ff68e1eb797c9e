"""Stories: the same everywhere, shared by no two splits, of few words and short sentences."""

import os
import subprocess
import sys
from collections import Counter
from itertools import islice

import pytest

from saccade.data.examples import Document
from saccade.errors import DataError
from saccade.scenes import SPLITS, read_documents, tell


def test_the_first_story() -> None:
    story = next(tell("train", 1, 0))
    assert story.lines == (
        "the picture shows a small brown box",
        "the brown box is on the left of the picture",
        "the brown box is left of a man in a red scarf",
        "the man in the scarf is on the right of the picture",
        "the man in the red scarf is right of a grey horse",
        "the grey horse looks at the man",
        "the brown box is left of the grey horse",
    )
    assert next(read_documents("stories")) == Document("\n".join(story.lines), "scenes:stories train 1")


def test_few_words_and_short_sentences() -> None:
    stories = list(tell("train", 3000, 0))
    assert {len(story.lines) for story in stories} == {4, 5, 6, 7, 8}
    assert {len(line.split()) for story in stories for line in story.lines} == set(range(5, 15))
    words = Counter(word for story in stories for word in story.text.split())
    assert 100 <= len(words) <= 120
    assert min(words.values()) >= 20


def test_no_story_is_in_two_splits_whatever_seed_and_size() -> None:
    texts = {
        split: {story.text for seed, size in ((0, 300), (5, 100)) for story in tell(split, size, seed)}
        for split in SPLITS
    }
    assert not texts["train"] & (texts["valid"] | texts["test"])
    assert not texts["valid"] & texts["test"]
    assert all(len(found) == 400 for found in texts.values())


def test_size_and_seed() -> None:
    assert sum(1 for _ in read_documents("stories", split="test")) == 500
    assert list(tell("train", 20, 3)) == list(islice(tell("train", 200, 3), 20))
    assert list(read_documents("stories?size=5&seed=3")) == list(read_documents("stories", size=5, seed=3))
    assert list(read_documents("stories?size=5", seed=3)) != list(read_documents("stories?size=5", seed=4))


def test_same_in_another_process_with_another_hash_seed() -> None:
    code = "from saccade.scenes import read_documents\nfor d in read_documents('stories?size=50'): print(repr(d.text))"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "4242"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().splitlines() == [repr(d.text) for d in read_documents("stories?size=50")]


@pytest.mark.parametrize(
    ("spec", "split", "message"),
    [
        ("tales", "train", r"scenes:tales: unknown text 'tales'; the running text of scenes is written scenes:stories"),
        ("en-fr", "train", r"scenes:en-fr: unknown text 'en-fr'"),
        ("stories?count=3", "train", r"scenes:stories\?count=3: unknown option 'count'; known are size, seed"),
        ("stories?size=0", "train", r"scenes:stories\?size=0: size is 0; it must be 1 or more"),
        ("stories", "dev", r"scenes:stories: unknown split 'dev'; known are train, valid, test"),
    ],
)
def test_what_is_wrong_is_said_at_once(spec: str, split: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_documents(spec, split=split)
