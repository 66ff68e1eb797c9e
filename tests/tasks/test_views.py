"""Ways to see a picture, and the names under which what was seen is kept."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade.data.examples import Box, PictureRef
from saccade.data.images.reading import read_picture
from saccade.tasks.views import AS_IT_IS, CORNERS, View, Way, painted_over, ways_to_see
from tasks.captions import draw

LEFT = (Box(0, 0, 0.5, 1),)


@pytest.fixture
def ref(tmp_path: Path) -> PictureRef:
    """Noise, so that no two places are alike."""
    noise = np.random.default_rng(1).integers(0, 256, (60, 60, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    return PictureRef(tmp_path / "noise.png", "noise.png")


def test_a_key_is_of_the_file_its_state_and_what_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = draw(tmp_path / "drawn", 2)
    file = drawn.files[0]
    before = View(PictureRef(file, "one name")).key
    monkeypatch.chdir(drawn.folder)
    assert View(PictureRef(Path(file.name), "another")).key == before, "the same file, seen from elsewhere"
    assert View(PictureRef(drawn.files[1], "one name")).key != before
    hidden = View(PictureRef(file, "one name"), LEFT).key
    assert hidden != before
    assert View(PictureRef(file, "one name"), (Box(0, 0, 0.25, 1),)).key not in (hidden, before)
    os.utime(file, ns=(1, 1))
    touched = View(PictureRef(file, "one name")).key
    assert touched != before
    file.write_bytes(file.read_bytes() + b"\0")
    os.utime(file, ns=(1, 1))
    assert View(PictureRef(file, "one name")).key != touched, "as old, but larger"


def test_whole_mirrored_and_through_a_window(ref: PictureRef) -> None:
    whole = View(ref).pixels(48, "squash")
    assert np.array_equal(whole, read_picture(ref, size=48, fit="squash"))
    assert np.array_equal(View(ref, way=Way(mirrored=True)).pixels(48, "squash"), whole[:, ::-1])
    large = read_picture(ref, size=60, fit="squash")
    for box, cut in zip(CORNERS, (large[:48, :48], large[:48, 12:], large[12:, :48], large[12:, 12:]), strict=True):
        assert np.array_equal(View(ref, way=Way(box)).pixels(48, "squash"), cut)
        assert np.array_equal(View(ref, way=Way(box, mirrored=True)).pixels(48, "squash"), cut[:, ::-1])


def test_what_is_hidden_is_hidden_wherever_one_looks(ref: PictureRef) -> None:
    """A box is of the whole picture: its edge at half is at five eighths of a window's four fifths on the left."""
    seen = View(ref, LEFT, Way(CORNERS[0])).pixels(48, "squash")
    assert (seen[:, :30] == seen[0, 0]).all()
    assert not (seen[:, 30:] == seen[0, 0]).all(axis=-1).any()


def test_how_many_ways(ref: PictureRef) -> None:
    assert ways_to_see("none") == (AS_IT_IS,)
    assert ways_to_see("light") == (AS_IT_IS, Way(mirrored=True))
    strong = ways_to_see("strong")
    assert strong[:2] == ways_to_see("light")
    assert [way.window for way in strong[2:]] == list(CORNERS)
    assert [way.mirrored for way in strong[2:]] == [False, True, True, False]
    assert len({View(ref, way=way).key for way in strong}) == 6


@pytest.mark.parametrize("way", ways_to_see("strong"))
def test_a_box_lies_where_its_pixels_are_seen(tmp_path: Path, way: Way) -> None:
    """A white box on black, seen in any way, is white where its box says, and nowhere else."""
    Image.new("RGB", (80, 80)).save(tmp_path / "black.png")
    black = Image.open(tmp_path / "black.png")
    black.paste((255, 255, 255), (8, 24, 40, 60))
    black.save(tmp_path / "black.png")
    seen = View(PictureRef(tmp_path / "black.png", "it"), way=way).pixels(64, "squash")
    box = way.box(Box(8 / 80, 24 / 80, 40 / 80, 60 / 80))
    assert box is not None
    expected = np.zeros((64, 64), dtype=bool)
    expected[round(box.top * 64) : round(box.bottom * 64), round(box.left * 64) : round(box.right * 64)] = True
    assert ((seen[:, :, 0] > 127) == expected).mean() > 0.98, "all but rounding at the edges"


def test_a_box_that_is_not_seen_is_none() -> None:
    assert Way(CORNERS[3]).box(Box(0, 0, 0.2, 1)) is None
    assert Way(CORNERS[0]).box(Box(0.7, 0.7, 1, 1)) == Box(pytest.approx(0.875), pytest.approx(0.875), 1, 1)


def test_painting_over() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    before = pixels.copy()
    assert painted_over(pixels, ()) is pixels
    painted = painted_over(pixels, (Box(0.25, 0.5, 0.51, 1), Box(0, 0, 0.1, 0.1)))
    assert np.array_equal(pixels, before), "the picture itself was painted over"
    mean = pixels.mean(axis=(0, 1)).astype(np.uint8)
    for row in range(8):
        for column in range(8):
            inside = (row >= 4 and 2 <= column <= 4) or (row == column == 0)
            assert np.array_equal(painted[row, column], mean if inside else pixels[row, column])
