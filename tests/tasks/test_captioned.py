from pathlib import Path

import numpy as np
import pytest

from saccade.data.examples import Box
from saccade.data.sources import PictureColumns
from saccade.errors import DataError
from saccade.tasks.captioned import picture_file, told_pictures, word_boxes
from tasks.captions import HEIGHT, draw

LEFT = Box(0, 0, 0.5, 1)


def test_a_file_names_pictures_captions_and_with_regions_boxes(tmp_path: Path) -> None:
    drawn = draw(tmp_path, 3, boxless=1)
    found = list(told_pictures(drawn.captions, split="train", regions=drawn.regions))
    assert [one.name for one in found] == [str(tmp_path / f"{n}.png") for n in range(3)]
    assert found[1].captions == ("a man before a blue wall number 1", "the blue wall and a man .")
    assert found[0].boxes == {}
    assert found[1].boxes == {"man": (LEFT,)}, "the article of a phrase points at nothing"
    assert found[2].file().path == drawn.files[2]
    assert found[1].is_right("a man") is None, "nobody knows"
    assert found[1].pixels(8, "squash").shape == (8, 8, 3)
    assert not np.array_equal(found[1].pixels(8, "squash"), found[1].pixels(8, "crop"))
    assert all(not one.boxes for one in told_pictures(drawn.captions, split="train"))


def test_the_mark_is_of_the_picture_and_not_of_its_name(tmp_path: Path) -> None:
    drawn = draw(tmp_path, 2)
    twin = tmp_path / "twin.png"
    twin.write_bytes(drawn.files[0].read_bytes())
    first, second, again = (picture_file(str(file)).mark() for file in (*drawn.files, twin))
    assert first == again != second
    (scene,) = told_pictures("scenes:captions?size=1", split="train")
    assert scene.mark() == scene.name


def test_columns_are_named(tmp_path: Path) -> None:
    drawn = draw(tmp_path, 2)
    other = tmp_path / "other.tsv"
    other.write_text("photo\twords\n0.png\tsomebody\n")
    (found,) = told_pictures(str(other), split="train", columns=PictureColumns("photo", "words"))
    assert (found.name, found.captions) == (str(drawn.files[0]), ("somebody",))


def test_words_of_several_phrases_have_the_boxes_of_all(tmp_path: Path) -> None:
    regions = tmp_path / "regions.jsonl"
    regions.write_text(
        '{"file": "a.jpg", "width": 10, "height": 10, "boxes": {"1": [[1, 1, 5, 10], [6, 1, 10, 10]], '
        '"2": [[1, 1, 5, 10]]}, "sentences": [{"text": "Two dogs and the small Dog !", "phrases": '
        '[{"chain": "1", "start": 0, "end": 8}, {"chain": "2", "start": 13, "end": 26}]}]}\n'
    )
    left, right = Box(0, 0, 0.5, 1), Box(0.5, 0, 1, 1)
    assert word_boxes(str(regions)) == {
        "a.jpg": {"two": (left, right), "dogs": (left, right), "small": (left,), "dog": (left,)}
    }


def test_scenes_know_boxes_and_what_is_right() -> None:
    found = list(told_pictures("scenes:captions?size=3&about=shapes", split="valid"))
    assert len(found) == 3
    for one in found:
        assert one.name.startswith("scenes:captions valid ")
        assert one.is_right(one.captions[0]) is True
        assert one.is_right("nothing at all") is False
        assert one.pixels(24, "crop").shape == (24, 24, 3)
        assert set(one.boxes) <= {word for text in one.captions for word in text.split()}
        for boxes in one.boxes.values():
            assert all(0 <= box.left < box.right <= 1 and 0 <= box.top < box.bottom <= 1 for box in boxes)
    assert found[0].captions != found[1].captions
    with pytest.raises(DataError) as told:
        found[0].file()
    assert str(told.value) == (
        "scenes:captions valid 1: data.backbone reads photographs from files, not scenes: leave it out, and the "
        "captioner learns a CNN of its own"
    )


def test_a_scene_has_its_boxes_where_it_is_drawn() -> None:
    """Inside the boxes of a scene there is more than the ground's colour; outside there is little else."""
    for one in told_pictures("scenes:captions?size=5&about=shapes", split="train"):
        pixels = one.pixels(64, "crop").astype(np.int64)
        boxes = {box for every in one.boxes.values() for box in every}
        inside = np.zeros((64, 64), dtype=bool)
        for box in boxes:
            inside[int(box.top * 64) : int(box.bottom * 64) + 1, int(box.left * 64) : int(box.right * 64) + 1] = True
        assert pixels[inside].std(axis=0).max() > 2 * pixels[~inside].std(axis=0).max()


def test_pictures_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.png: there is no such picture"):
        picture_file(str(tmp_path / "gone.png"))
    with pytest.raises(DataError, match="there is no such picture"):
        picture_file(str(tmp_path))
    drawn = draw(tmp_path / "some", 2)
    drawn.files[1].unlink()
    with pytest.raises(DataError, match=r"1\.png"):
        list(told_pictures(drawn.captions, split="train"))
    alone = picture_file(str(drawn.files[0]))
    assert (alone.captions, alone.boxes) == ((), {})
    assert alone.pixels(HEIGHT, "crop").shape == (HEIGHT, HEIGHT, 3)


def test_unknown_sources_are_refused() -> None:
    with pytest.raises(DataError, match="known are scenes:captions and scenes:people"):
        list(told_pictures("scenes:dreams", split="train"))
