"""Stores of decoded pictures: what was written is read, and nothing half-written is ever read."""

import json
from pathlib import Path

import numpy as np
import pytest

from saccade.data.images.reading import Pixels
from saccade.data.images.store import Pictures, PictureWriter
from saccade.errors import DataError


def some(count: int, size: int = 4) -> Pixels:
    return np.random.default_rng(count).integers(0, 256, (count, size, size, 3), dtype=np.uint8)


@pytest.fixture
def stem(tmp_path: Path) -> Path:
    return written(tmp_path / "train", some(5))


def written(stem: Path, pictures: Pixels) -> Path:
    with PictureWriter(stem, size=pictures.shape[1], made_from="five pictures") as writer:
        for picture in pictures:
            writer.append(picture)
    return stem


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def change(stem: Path, **values: object) -> None:
    path = stem.with_name(stem.name + ".json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_written_and_read(stem: Path) -> None:
    pictures = Pictures.open(stem)
    assert (len(pictures), pictures.size, pictures.made_from) == (5, 4, "five pictures")
    np.testing.assert_array_equal(np.stack([pictures[i] for i in range(5)]), some(5))
    np.testing.assert_array_equal(pictures.batch([3, 0, 3]), some(5)[[3, 0, 3]])
    pictures.verify()
    assert files(stem.parent) == ["train.json", "train.pixels"]


def test_nothing_is_in_memory_that_nobody_asked_for(stem: Path) -> None:
    first = Pictures.open(stem)[0]
    assert not first.flags.owndata
    assert not first.flags.writeable


def test_a_batch_is_its_own(stem: Path) -> None:
    pictures = Pictures.open(stem)
    batch = pictures.batch([1])
    batch[:] = 0
    np.testing.assert_array_equal(pictures[1], some(5)[1])


def test_an_empty_store(tmp_path: Path) -> None:
    pictures = Pictures.open(written(tmp_path / "none", some(0)))
    assert len(pictures) == 0
    assert pictures.batch([]).shape == (0, 4, 4, 3)


def test_a_new_store_takes_the_place_of_the_old_one(stem: Path) -> None:
    before = Pictures.open(stem).fingerprint
    written(stem, some(2, size=8))
    assert (len(Pictures.open(stem)), Pictures.open(stem).size) == (2, 8)
    assert Pictures.open(stem).fingerprint != before


def fail_after_one(stem: Path) -> None:
    with PictureWriter(stem, size=4) as writer:
        writer.append(some(1)[0])
        raise KeyboardInterrupt


def test_an_interrupted_store_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        fail_after_one(tmp_path / "train")
    assert files(tmp_path) == []


def test_an_interrupted_store_leaves_the_old_one(stem: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        fail_after_one(stem)
    assert len(Pictures.open(stem)) == 5
    assert files(stem.parent) == ["train.json", "train.pixels"]


@pytest.mark.parametrize(
    "picture", [np.zeros((4, 5, 3), np.uint8), np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.float32)]
)
def test_pictures_of_another_kind(tmp_path: Path, picture: Pixels) -> None:
    with PictureWriter(tmp_path / "train", size=4) as writer:
        with pytest.raises(DataError) as caught:
            writer.append(picture)
        assert "expected uint8 of the shape (4, 4, 3); read it with size=4" in str(caught.value)


def test_outside_of_the_block(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside its with block"):
        PictureWriter(tmp_path / "train", size=4).append(some(1)[0])


@pytest.mark.parametrize("number", [-1, 5])
def test_numbers_that_are_not_there(stem: Path, number: int) -> None:
    pictures = Pictures.open(stem)
    with pytest.raises(IndexError, match="of 5 in"):
        pictures[number]
    with pytest.raises(IndexError, match="of 5 in"):
        pictures.batch([0, number])


def test_never_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"train.json: not there, so these pictures were never written to the end"):
        Pictures.open(tmp_path / "train")


def test_without_its_pictures(stem: Path) -> None:
    stem.with_name("train.pixels").unlink()
    with pytest.raises(DataError, match=r"train.pixels: not there, though train.json is; delete"):
        Pictures.open(stem)


def test_cut(stem: Path) -> None:
    path = stem.with_name("train.pixels")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="239 bytes, expected 240: the file is cut or mixed up; delete"):
        Pictures.open(stem)


def test_changed_after_writing(stem: Path) -> None:
    pictures = Pictures.open(stem)
    path = stem.with_name("train.pixels")
    data = bytearray(path.read_bytes())
    data[7] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="the pictures were changed after they were written; delete"):
        pictures.verify()


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "not readable as JSON"), ("[]", "version None"), ('{"version": 1}', "lacks count, fingerprint, made_from")],
)
def test_a_broken_description(stem: Path, text: str, message: str) -> None:
    stem.with_name("train.json").write_text(text)
    with pytest.raises(DataError, match=message):
        Pictures.open(stem)


def test_another_version(stem: Path) -> None:
    change(stem, version=2)
    with pytest.raises(DataError, match="version 2, this program reads version 1; delete"):
        Pictures.open(stem)
