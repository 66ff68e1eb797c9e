from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from saccade.complexity import Complexity
from saccade.complexity.picture import draw, spread, ticks
from saccade.view.heatmap import save_figure


def test_a_picture_names_every_curve(measured: Complexity, tmp_path: Path) -> None:
    figure = draw(measured)
    save_figure(figure, tmp_path / "a.svg")
    save_figure(figure, tmp_path / "a.png")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for words in ("Time against length", "Time against width", "Memory against length", "Longest path"):
        assert words in text
    for words in (
        "recurrent",
        "restricted",
        "with weights held",
        "dilated convolution",
        "contiguous convolution",
    ):
        assert words in text
    assert len(figure.axes) == 4
    assert [len(axes.lines) for axes in figure.axes] == [8, 8, 10, 10]
    assert Image.open(tmp_path / "a.png").width > 1000


def test_curves_stand_where_they_were_measured(measured: Complexity) -> None:
    paths = draw(measured).axes[3]
    assert [*paths.lines[3].get_xdata()] == [8, 16]
    assert [*paths.lines[3].get_ydata()] == [7, 15]


def test_ticks_have_room() -> None:
    assert ticks((1024, 1536, 2048, 3072, 4096)) == [1024, 1536, 2048, 3072, 4096]
    assert ticks((512, 1024)) == [512, 1024]
    assert ticks((100, 101, 200, 390, 400, 800, 1600)) == [101, 200, 400, 800, 1600]


@pytest.mark.property
@given(heights=st.lists(st.floats(0, 1), min_size=1, max_size=8).map(sorted))
def test_labels_stand_apart_near_their_curves(heights: list[float]) -> None:
    placed = spread(heights, 0.07)
    assert all(high - low >= 0.07 - 1e-9 for low, high in pairwise(placed))
    assert sum(placed) == pytest.approx(sum(heights), abs=1e-9)
    far = all(high - low >= 0.07 for low, high in pairwise(heights))
    if far:
        assert placed == pytest.approx(heights)
