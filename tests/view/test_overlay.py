from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade.errors import ModelError
from saccade.view.captioned import CaptionLook
from saccade.view.heatmap import save_figure
from saccade.view.overlay import DARK, LIFT, draw_caption, draw_word, lit
from view.captions import caption, picture


def test_the_picture_is_bright_where_attended_and_dark_and_grey_elsewhere() -> None:
    pixels_YX3 = np.full((40, 60, 3), (200, 40, 40), dtype=np.uint8)
    weights_HW = np.zeros((4, 6))
    weights_HW[0, 0] = 1.0
    shown_YX3 = lit(pixels_YX3, weights_HW)
    far = shown_YX3[-1, -1]
    assert len(set(far)) == 1
    assert far[0] == pytest.approx(DARK * (0.299 * 200 + 0.701 * 40), abs=1)
    near = shown_YX3[0, 0].astype(int)
    assert near[0] == pytest.approx(200 + LIFT * 55, abs=1)
    assert near[0] > near[1] + 100


def test_even_attention_lights_everything_alike() -> None:
    pixels_YX3 = np.full((20, 20, 3), 100, dtype=np.uint8)
    assert len(np.unique(lit(pixels_YX3, np.full((3, 3), 1 / 9)))) == 1


def test_a_panel_for_each_word_and_the_plain_picture() -> None:
    figure = draw_caption(picture(), caption(), columns=2)
    assert len(figure.axes) == 4
    said = [text.get_text() for text in figure.texts]
    assert said == ["soft: a red ball", "a", "peak 0.90", "red", "peak 0.90", "ball", "peak 0.90"]
    assert [len(axes.patches) for axes in figure.axes] == [0, 0, 0, 1]
    [box] = figure.axes[3].patches
    assert (box.get_x(), box.get_y(), box.get_width(), box.get_height()) == (15, 20, 30, 20)


def test_one_word() -> None:
    figure = draw_word(picture(), caption().words[2])
    assert [text.get_text() for text in figure.texts] == ["ball", "peak 0.90"]
    assert len(figure.axes) == 1


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_files(tmp_path: Path, suffix: str) -> None:
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
    for path in (one, two):
        save_figure(draw_caption(picture(), caption()), path)
    assert one.read_bytes() == two.read_bytes()
    if suffix == ".png":
        assert Image.open(one).size[0] > 1000
    else:
        assert ">ball</text>" in one.read_text(encoding="utf-8")


def test_no_words() -> None:
    with pytest.raises(ModelError, match="the caption has no words: there is nothing to draw"):
        draw_caption(picture(), CaptionLook("soft", ()))
