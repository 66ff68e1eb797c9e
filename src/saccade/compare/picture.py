"""The comparison as one picture: score against cost on the left, score by source length on the right.

Pictures have no length: there score against cost has all the room, and systems of one preset in several sizes have one
colour and are joined by a line, as in figure 5 of Dosovitskiy et al. 2021.

Figures are made without pyplot, so nothing global is touched and no window is opened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import Bbox

from saccade.compare.comparison import Comparison
from saccade.compare.system import System
from saccade.view.heatmap import save_figure

Point = tuple[float, float]

_INK, _QUIET, _HAIR = "#1b242c", "#5b6670", "#dcdfdf"
_COLORS = (
    *("#1d5f9e", "#c2571a", "#2a8c6a", "#8a4fa3", "#b08a00", "#c4477a", "#3a9dc0", "#6b6f76"),
    *("#7d4f2b", "#5b8c00", "#3d3a9e", "#a3172b"),
)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
_FONT = "DejaVu Sans"
_WIDTH, _HEIGHT = 11.0, 4.8
_ALONE = 7.6  # inches of the first panel alone
_SPREAD = 8.0  # times that the largest cost is the smallest, from where the axis is logarithmic
_LONGEST = 20  # characters of a name, for which there is room at the right
_STEPS = 40  # places along a line that a name should not cover
_LINE = 15.0  # points from one label to the next
_LEADER = {
    "arrowstyle": "-",
    "linewidth": 0.7,
    "relpos": (0, 0.5),
    "shrinkA": 2,
    "shrinkB": 5,
}  # from a name's left edge


def draw(comparison: Comparison) -> Figure:
    """One or both panels; a system has the same colour and mark in both."""
    both = any(row.lengths for row in comparison.rows)
    figure = Figure(figsize=(_WIDTH if both else _ALONE, _HEIGHT), facecolor="#ffffff")
    FigureCanvasAgg(figure)
    left = figure.add_axes((0.065, 0.14, 0.40, 0.74) if both else (0.09, 0.14, 0.87, 0.74))
    right = figure.add_axes((0.545, 0.14, 0.28, 0.74)) if both else None
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(_QUIET)
        axes.tick_params(colors=_QUIET, labelsize=9)
        axes.grid(axis="y", color=_HAIR, linewidth=0.8)
        axes.set_axisbelow(True)
    _draw_costs(left, comparison)
    if right is not None:
        _draw_lengths(right, comparison)
    return figure


def save(comparison: Comparison, *paths: Path) -> None:
    """To ``.png`` and ``.svg`` files."""
    figure = draw(comparison)
    for path in paths:
        save_figure(figure, path)


def _draw_costs(axes: Axes, comparison: Comparison) -> None:
    """What is not the budget itself is the cost that differs: operations where time was given, else time."""
    systems = [row.system for row in comparison.rows]
    by_time = comparison.budget.unit in comparison.yardstick.timed
    costs = [system.seconds / 60 if by_time else float(system.flops) for system in systems]
    points = [(cost, system.score.value) for cost, system in zip(costs, systems, strict=True)]
    looks = _looks(comparison)
    lines = {look: sorted(p for p, other in zip(points, looks, strict=True) if other == look) for look in looks}
    for look, line in lines.items():
        axes.plot(*zip(*line, strict=True), color=_color(look), linewidth=1.2, alpha=0.5)
    for look, system, (cost, value) in zip(looks, systems, points, strict=True):
        interval = system.score.interval
        if interval is not None:
            axes.plot([cost, cost], [interval.low, interval.high], color=_color(look), linewidth=1.6, alpha=0.55)
        axes.plot(cost, value, _marker(look), color=_color(look), markersize=8, markeredgecolor="#ffffff")
    if max(costs) > _SPREAD * min(costs):
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.margins(x=0.22, y=0.14)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}".replace("e+", "e")))
    score = comparison.yardstick.score
    _title(axes, f"{score[0].upper()}{score[1:]} against cost, {comparison.budget} for each system")
    axes.set_xlabel("training time, minutes" if by_time else "FLOPs of training", **_type(9.5, _QUIET))
    axes.set_ylabel(f"{score}, with 95 % interval", **_type(9.5, _QUIET))
    _label_points(axes, points, comparison, lines.values())


def _looks(comparison: Comparison) -> list[int]:
    """The number of each system's colour and mark: its own, or, where systems have no second panel, its preset's."""
    if any(row.lengths for row in comparison.rows):
        return list(range(len(comparison.rows)))
    presets = sorted({row.system.preset for row in comparison.rows})
    return [presets.index(row.system.preset) for row in comparison.rows]


def _draw_lengths(axes: Axes, comparison: Comparison) -> None:
    buckets = comparison.rows[0].lengths
    for place, row in enumerate(comparison.rows):
        values = [one.bleu for one in row.lengths]
        axes.plot(
            range(len(values)),
            values,
            f"{_marker(place)}-",
            color=_color(place),
            linewidth=1.8,
            markersize=6,
            markeredgecolor="#ffffff",
        )
    axes.set_xticks(range(len(buckets)), [f"{one.words}\n{one.sentences:,}" for one in buckets])
    axes.set_xlim(-0.3, len(buckets) - 1 + 0.15)
    axes.margins(y=0.1)
    _title(axes, "BLEU by length of the source")
    axes.set_xlabel("source words, and how many sentences", **_type(9.5, _QUIET))
    _label_ends(axes, comparison)


@dataclass(frozen=True)
class _Spot:
    """A place for a name beside its point: how far over and above, in points, and which side of the text is there."""

    over: float
    above: float
    sideways: str
    upright: str

    def write(self, axes: Axes, text: str, point: tuple[float, float], color: str) -> Annotation:
        return axes.annotate(
            text,
            point,
            xytext=(self.over, self.above),
            textcoords="offset points",
            ha=self.sideways,
            va=self.upright,
            **_type(10, color),
        )


_SIDEWAYS, _UPRIGHT = {0: "center", 1: "left", -1: "right"}, {0: "center", 1: "bottom", -1: "top"}
_SPOTS = tuple(
    _Spot(over * far, above * far, _SIDEWAYS[over], _UPRIGHT[above])
    for far in (10, 18, 30)
    for above in (0, 1, -1)
    for over in (1, -1, 0)
    if above or over
)


def _label_points(
    axes: Axes, points: Sequence[Point], comparison: Comparison, lines: Iterable[Sequence[Point]]
) -> None:
    """Each name beside its point, where it covers least of what is drawn already and leaves the panel least."""
    axes.figure.canvas.draw()
    inside = axes.get_window_extent()
    taken = [
        box for point, row in zip(points, comparison.rows, strict=True) for box in _drawn_at(axes, point, row.system)
    ]
    taken += [box for line in lines for box in _drawn_along(axes, line)]
    for look, point, label in zip(_looks(comparison), points, _labels(comparison), strict=True):
        found: list[tuple[int, Bbox]] = []
        for spot in _SPOTS:
            text = spot.write(axes, label, point, _color(look))
            box = text.get_window_extent()
            text.remove()
            outside = box.width * box.height - _common(box, inside)
            found.append((round(outside + sum(_common(box, other) for other in taken)), box))
        best = min(range(len(_SPOTS)), key=lambda number: found[number][0])
        _SPOTS[best].write(axes, label, point, _color(look))
        taken.append(found[best][1])


def _drawn_at(axes: Axes, point: Point, system: System) -> list[Bbox]:
    """The boxes of a point's mark and of its interval."""
    scale = axes.figure.dpi / 72
    across, up = axes.transData.transform(point)
    boxes = [Bbox.from_bounds(across - 6 * scale, up - 6 * scale, 12 * scale, 12 * scale)]
    if system.score.interval is not None:
        ends = (system.score.interval.low, system.score.interval.high)
        low, high = (float(axes.transData.transform((point[0], end))[1]) for end in ends)
        boxes.append(Bbox.from_extents(across - 2 * scale, low, across + 2 * scale, high))
    return boxes


def _drawn_along(axes: Axes, line: Sequence[Point]) -> list[Bbox]:
    """Small boxes along a line from point to point."""
    scale = axes.figure.dpi / 72
    places = axes.transData.transform(line)
    steps = (start + (end - start) * part / _STEPS for start, end in pairwise(places) for part in range(_STEPS))
    return [Bbox.from_bounds(across - scale, up - scale, 2 * scale, 2 * scale) for across, up in steps]


def _label_ends(axes: Axes, comparison: Comparison) -> None:
    """The names to the right of the last points, moved apart where they would touch, each with a line to its curve."""
    axes.figure.canvas.draw()
    scale = axes.figure.dpi / 72
    ends = [(len(row.lengths) - 1, row.lengths[-1].bleu) for row in comparison.rows]
    heights = [float(axes.transData.transform(end)[1]) for end in ends]
    wanted = _apart(heights, gap=_LINE * scale)
    names = _labels(comparison)
    for place, (name, end, height, moved) in enumerate(zip(names, ends, heights, wanted, strict=True)):
        axes.annotate(
            name,
            end,
            xytext=(24, (moved - height) / scale),
            textcoords="offset points",
            ha="left",
            va="center",
            annotation_clip=False,
            arrowprops={**_LEADER, "color": _color(place)},
            **_type(10, _color(place)),
        )


def _apart(heights: Sequence[float], *, gap: float) -> list[float]:
    """The heights, moved as little as needed so that neighbours are at least ``gap`` apart, in the same order.

    Those that touch are a group around their own mean; groups that come to touch each other become one.
    """
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    groups: list[list[int]] = []
    for place in order:
        groups.append([place])
        while len(groups) > 1 and _bottom(groups[-1], heights, gap) - _top(groups[-2], heights, gap) < gap:
            last = groups.pop()
            groups[-1] += last
    moved = [0.0] * len(heights)
    for group in groups:
        for number, place in enumerate(group):
            moved[place] = _bottom(group, heights, gap) + number * gap
    return moved


def _bottom(group: Sequence[int], heights: Sequence[float], gap: float) -> float:
    return sum(heights[place] for place in group) / len(group) - gap * (len(group) - 1) / 2


def _top(group: Sequence[int], heights: Sequence[float], gap: float) -> float:
    return _bottom(group, heights, gap) + gap * (len(group) - 1)


def _common(a: Bbox, b: Bbox) -> float:
    """The area that two boxes share."""
    both = Bbox.intersection(a, b)
    return 0.0 if both is None else float(both.width * both.height)


def labels(names: Sequence[str]) -> list[str]:
    """Names that fit: where one is too long, all lose the words that all begin with, such as the data's name."""
    words = [name.split("-") for name in names]
    shared = 0
    if len(names) > 1 and max(map(len, names)) > _LONGEST:
        firsts = zip(*(one[:-1] for one in words), strict=False)
        shared = len(list(takewhile(lambda same: len(set(same)) == 1, firsts)))
    short = ["-".join(one[shared:]) for one in words]
    return [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in short]


def _labels(comparison: Comparison) -> list[str]:
    return labels([row.system.name for row in comparison.rows])


def _title(axes: Axes, text: str) -> None:
    axes.set_title(text, loc="left", pad=12, **_type(11))


def _color(place: int) -> str:
    return _COLORS[place % len(_COLORS)]


def _marker(place: int) -> str:
    """With every round of the colours the marks move on by one: no two systems have both in common."""
    return _MARKERS[(place + place // len(_COLORS)) % len(_MARKERS)]


def _type(size: float, color: str = _INK) -> dict[str, Any]:
    # a system named $x$ is text, not mathematics
    return {"fontsize": size, "color": color, "fontfamily": _FONT, "parse_math": False}
