from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox
from PIL import Image

from compare.parts import NAMES, comparison_of, measured, sentences
from saccade.compare.picture import _apart, draw, labels, save

PAIRS = sentences()


def crowded() -> list[tuple[str, int, float]]:
    return [(name, 9 + place % 2, 100.0 + place) for place, name in enumerate(NAMES)]


def test_no_name_covers_another_or_leaves_the_picture() -> None:
    """Five systems at nearly the same place, one of them with a long name."""
    systems = [measured(name, PAIRS, wrong=wrong, seconds=seconds) for name, wrong, seconds in crowded()]
    long = measured("a-transformer-of-wide-renown", PAIRS, wrong=9, seconds=102.5)
    found = comparison_of(*systems, budget="1e12 flops")
    figure = draw(replace(found, rows=(*found.rows, replace(found.rows[0], system=long))))
    figure.canvas.draw()
    for axes in figure.axes:
        names = [text for text in axes.texts if isinstance(text, Annotation)]
        assert sorted(text.get_text() for text in names) == sorted([*NAMES, "a-transformer-of-wi…"])
        extents = [Text.get_window_extent(text) for text in names]  # without the lines to the curves
        for number, box in enumerate(extents):
            assert figure.bbox.contains(box.x0, box.y0)
            assert figure.bbox.contains(box.x1, box.y1)
            for other in extents[number + 1 :]:
                assert not _covers(box, other)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["rnn-dot", "rnn-additive"], ["rnn-dot", "rnn-additive"]),
        (["multi30k-transformer", "multi30k-transformer-local"], ["transformer", "transformer-local"]),
        (["data-a", "data-a-and-some-more-words"], ["a", "a-and-some-more-wor…"]),
        (["a-transformer-of-wide-renown"], ["a-transformer-of-wi…"]),
    ],
)
def test_long_names_lose_what_all_begin_with(names: list[str], expected: list[str]) -> None:
    assert labels(names) == expected


def test_twelve_systems_look_different() -> None:
    found = comparison_of(measured("rnn-dot", PAIRS, wrong=9))
    [row] = found.rows
    rows = tuple(replace(row, system=replace(row.system, name=f"system-{n}")) for n in range(12))
    figure = draw(replace(found, rows=rows))
    marks = {(line.get_marker(), line.get_color()) for line in figure.axes[1].lines}
    assert len(marks) == 12


def _covers(a: Bbox, b: Bbox) -> bool:
    both = Bbox.intersection(a, b)
    return both is not None and both.height > 1 and both.width > 1


@pytest.mark.parametrize(
    ("budget", "cost"), [("2 minutes", "FLOPs of training"), ("1e12 flops", "training time, minutes")]
)
def test_the_cost_is_what_the_budget_left_free(budget: str, cost: str) -> None:
    figure = draw(comparison_of(*(measured(name, PAIRS, wrong=9) for name in NAMES[:2]), budget=budget))
    assert figure.axes[0].get_xlabel() == cost
    assert budget in figure.axes[0].get_title(loc="left")


def test_costs_that_differ_much_are_shown_by_their_powers() -> None:
    systems = [measured(name, PAIRS, wrong=9, seconds=31 * 9**place) for place, name in enumerate(NAMES[:2])]
    figure = draw(comparison_of(*systems, budget="1e12 flops"))
    axes = figure.axes[0]
    assert axes.get_xscale() == "log"
    low, high = axes.get_xlim()
    assert [tick.get_text() for tick in axes.get_xticklabels() if low <= tick.get_position()[0] <= high] == [
        "0.5",
        "1",
        "2",
        "5",
    ]
    assert not any(tick.get_text() for tick in axes.get_xticklabels(minor=True))


def test_png_and_svg(tmp_path: Path) -> None:
    found = comparison_of(*(measured(name, PAIRS, wrong=6 + 3 * place) for place, name in enumerate(NAMES)))
    save(found, tmp_path / "a.png", tmp_path / "a.svg")
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (2200, 960)
    words = "".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    assert all(name in words for name in NAMES)


@pytest.mark.property
@given(st.lists(st.floats(0, 100), min_size=1, max_size=9), st.floats(0.5, 20))
def test_names_are_moved_apart_and_keep_their_order(heights: list[float], gap: float) -> None:
    moved = _apart(heights, gap=gap)
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    for below, above in pairwise(order):
        assert moved[above] - moved[below] >= gap - 1e-6
    alone = all(b - a >= gap for a, b in pairwise(sorted(heights)))
    if alone:
        assert moved == pytest.approx(heights)
