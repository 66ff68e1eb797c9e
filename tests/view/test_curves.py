import json
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.view.curves import Point, Series, chart, short
from view.pages import parse


def series(values: list[float], name: str = "loss") -> Series:
    return Series(name, tuple(Point(50.0 * (place + 1), value) for place, value in enumerate(values)))


def paths(html: str) -> list[list[tuple[float, float]]]:
    found = re.findall(r'class="curve [^"]*" d="([^"]*)"', html)
    return [[(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path)] for path in found]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (3.14159, "3.142"), (500, "500"), (5000, "5k"), (12345, "12.35k"), (40.96e6, "40.96M"), (5e-4, "0.0005"),
     (2e-6, "2e-6"), (-0.25, "-0.25")],
)  # fmt: skip
def test_numbers_for_an_axis(value: float, text: str) -> None:
    assert short(value) == text


def test_a_falling_loss_falls_in_the_picture() -> None:
    [path] = paths(chart("Loss", [series([9.0, 4.0, 2.0, 1.0])]))
    xs, ys = [x for x, _ in path], [y for _, y in path]
    assert xs == sorted(xs)
    # the y axis of SVG points down
    assert ys == sorted(ys)
    # half the way in value is half the way in the picture
    assert (ys[1] - ys[0]) / (ys[3] - ys[0]) == pytest.approx(5 / 8, abs=0.01)


def test_a_value_that_is_not_finite_is_a_gap() -> None:
    html = chart("Loss", [series([3.0, 2.5, math.nan, 2.0, math.inf, 1.0])])
    assert [len(path) for path in paths(html)] == [2, 1, 1]
    [data] = parse(html).data_scripts
    assert [point[1] for point in json.loads(data)[0]["points"]] == [3.0, 2.5, 2.0, 1.0]


def test_no_finite_value() -> None:
    html = chart("Loss", [series([math.nan]), series([])])
    assert "No finite value yet." in parse(html).text
    assert "svg" not in parse(html).tags


def test_the_values_to_point_at_and_their_names() -> None:
    html = chart("Loss", [series([3.0], "training"), series([2.0, 1.5], "validation")])
    [data] = parse(html).data_scripts
    assert [(each["name"], [point[:2] for point in each["points"]]) for each in json.loads(data)] == [
        ("training", [[50.0, 3.0]]),
        ("validation", [[50.0, 2.0], [100.0, 1.5]]),
    ]
    assert "Loss training validation" in parse(html).text
    assert ("svg", "aria-label", "Loss: training 3.0 at step 50; validation 1.5 at step 100") in parse(html).attributes


def test_the_best_point_is_marked() -> None:
    points = (Point(1, 10.0), Point(2, 12.0), Point(3, 11.0))
    assert chart("BLEU", [Series("BLEU", points, best=2)]).count('class="best"') == 1
    assert 'class="best"' not in chart("BLEU", [Series("BLEU", points)])


def test_many_points_are_thinned_but_not_the_last_nor_the_best() -> None:
    points = tuple(Point(step, 1.0 / step) for step in range(1, 10_003))
    [data] = parse(chart("Loss", [Series("loss", points, best=777)])).data_scripts
    steps = [point[0] for point in json.loads(data)[0]["points"]]
    assert len(steps) <= 602
    assert steps[0] == 1
    assert steps[-1] == 10_002
    assert 777 in steps


@pytest.mark.property
@given(st.lists(st.floats(-1e12, 1e12) | st.just(math.nan), min_size=1, max_size=30))
@settings(max_examples=60)
def test_every_curve_stays_inside(values: list[float]) -> None:
    for path in paths(chart("Loss", [series(values)])):
        for x, y in path:
            assert 0 <= x <= 440
            assert 0 <= y <= 220


def test_titles_and_names_are_escaped() -> None:
    html = chart("<b>", [series([1.0], "<i>"), series([1.0], '"><u>')])
    assert not {"b", "i", "u"} & set(parse(html).tags)
