"""Captioned pictures: the same everywhere, no caption right in two splits."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.scenes import SPLITS, read_captioned


def test_a_record() -> None:
    record = next(read_captioned("captions?pixels=96", split="test"))
    assert record.where == "scenes:captions test 1"
    assert record.picture().pixels_HWC.shape == (96, 96, 3)
    assert (record.picture().pixels_HWC == record.picture().pixels_HWC).all()
    assert record.study is None
    assert all(record.is_right(caption.text) for caption in record.captions)
    assert not record.is_right(record.captions[0].text + " and a dog")


def test_no_caption_is_right_in_two_splits_whatever_seed_and_size() -> None:
    texts = {
        split: {
            caption.text
            for seed, size in ((0, 400), (5, 200))
            for record in read_captioned("captions", split, size, seed)
            for caption in record.captions
        }
        for split in SPLITS
    }
    assert not texts["train"] & (texts["valid"] | texts["test"])
    assert not texts["valid"] & texts["test"]


def test_every_scene_of_a_split_says_something_new() -> None:
    texts = Counter(caption.text for record in read_captioned("captions", size=500) for caption in record.captions)
    assert set(texts.values()) == {1}


def test_size_and_seed() -> None:
    assert sum(1 for _ in read_captioned("captions", split="valid")) == 500
    assert list(read_captioned("captions", size=20, seed=3)) == list(islice(read_captioned("captions", seed=3), 20))
    assert list(read_captioned("captions?size=5&seed=3")) == list(read_captioned("captions", size=5, seed=3))
    one, other = (next(read_captioned("captions", seed=seed)) for seed in (3, 4))
    assert (one.picture().pixels_HWC != other.picture().pixels_HWC).any()


def test_pictures_are_not_alike() -> None:
    grounds = {tuple(record.picture().pixels_HWC[0, 0]) for record in read_captioned("captions", size=30)}
    assert len(grounds) > 25


def test_in_another_language_the_same_pictures() -> None:
    for one, other in zip(
        read_captioned("captions?size=20"), read_captioned("captions?size=20&language=fr"), strict=True
    ):
        assert one.scene == other.scene
        assert np.array_equal(one.picture().pixels_HWC, other.picture().pixels_HWC)
        assert other.is_right(other.captions[0].text)
        assert not other.is_right(one.captions[0].text)


def test_about() -> None:
    words = {
        word for record in read_captioned("captions?about=shapes&size=200") for c in record.captions for word in c.words
    }
    assert "star" in words
    assert not words & {"dog", "house", "girl"}


def test_people_break_the_correlation_unless_told() -> None:
    def usual(spec: str, split: str) -> float:
        pairs = [
            (record.study.group, record.study.context) for record in read_captioned(spec, split, 600) if record.study
        ]
        assert len(pairs) == 600
        return sum(pair in (("woman", "home"), ("man", "street")) for pair in pairs) / 600

    assert usual("people", "train") == pytest.approx(0.8, abs=0.08)
    assert usual("people", "valid") == pytest.approx(0.5, abs=0.1)
    assert usual("people", "test") == pytest.approx(0.5, abs=0.1)
    assert usual("people?correlation=0.2", "test") == pytest.approx(0.2, abs=0.08)
    assert usual("people?correlation=0.95", "train") == pytest.approx(0.95, abs=0.04)


def test_share_and_cue() -> None:
    records = list(read_captioned("people?share=0.2&cue=clothes", size=600))
    assert sum(record.study is not None and record.study.group == "woman" for record in records) == pytest.approx(
        120, abs=40
    )
    assert not any("coat" in caption.words for record in records for caption in record.captions)


def test_height() -> None:
    for height in (0.3, 0.5):
        record = next(read_captioned(f"people?height={height}"))
        assert record.study is not None
        (body,) = record.study.person
        assert body.bottom - body.top == pytest.approx(height)


@pytest.mark.parametrize(
    ("spec", "split", "message"),
    [
        ("photos", "train", r"scenes:photos: unknown pictures 'photos'; known are scenes:captions and scenes:people"),
        ("captions?share=1", "train", r"unknown option 'share'; known are size, seed, pixels, language, about"),
        ("captions?about=cars", "train", r"about is 'cars'; known are all, shapes, things, people"),
        ("captions?pixels=8", "train", r"scenes:captions\?pixels=8: pixels is 8; it must be 16 or more"),
        ("captions?language=it", "train", r"language is 'it'; known are en, fr, de, es"),
        ("people?correlation=1.2", "train", r"correlation is '1.2'; a share is expected, as in correlation=0.8"),
        ("people?share=few", "train", r"share is 'few'; a share is expected, as in share=0.8"),
        ("people?cue=shoes", "train", r"cue is 'shoes'; known are hair, clothes"),
        ("people?height=0.9", "train", r"scenes:people\?height=0.9: height is 0.9; it must be from 0.2 to 0.6"),
        ("people?seed=x", "train", r"seed is 'x'; a whole number is expected"),
        ("people", "dev", r"scenes:people: unknown split 'dev'; known are train, valid, test"),
    ],
)
def test_what_is_wrong_is_said_at_once(spec: str, split: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_captioned(spec, split=split)
