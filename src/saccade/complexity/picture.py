"""The measurements as a picture: time against length and width, memory against length, paths against length."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from saccade.complexity.fitting import PowerLaw
from saccade.complexity.measuring import Complexity
from saccade.complexity.theory import TypeName

_INK, _QUIET, _GRID, _PAPER = "#1c2733", "#66717d", "#e6eaee", "#ffffff"
_COLOURS: dict[TypeName, str] = {
    "self-attention": "#1f4e79",
    "restricted": "#4f9bc9",
    "recurrent": "#bf4f22",
    "convolutional": "#8a7a1c",
}
_FONT = "DejaVu Sans"
_APART = 0.075  # of a panel's height between two labels
_TICKS_APART = 0.14  # of a panel's width between two sizes
_MILLI, _MEGA = 1e3, 2.0**-20


@dataclass(frozen=True)
class _Curve:
    """Points of one type, the line that was fitted through them if there is one, and the words at its end."""

    type: TypeName
    label: str
    sizes: Sequence[int]
    values: Sequence[float]
    fitted: PowerLaw | None = None
    dashed: bool = False


def draw(found: Complexity) -> Figure:
    """Four panels on logarithmic axes, in which a power law is a straight line and its exponent the slope."""
    plan = found.plan
    figure = Figure(figsize=(12.4, 8.6), facecolor=_PAPER)
    FigureCanvasAgg(figure)
    operations = [each for each in found.measured if each.part == "operation"]
    held = [each for each in found.measured if each.part == "with weights held"]
    over_length = [
        _Curve(
            each.type,
            f"{each.type}  {_power('n', each.in_length.seconds)}",
            plan.lengths,
            [cost.seconds * _MILLI for cost in each.in_length.costs],
            _scaled(each.in_length.seconds, _MILLI),
        )
        for each in operations
    ]
    over_width = [
        _Curve(
            each.type,
            f"{each.type}  {_power('d', each.in_width.seconds)}",
            plan.widths,
            [cost.seconds * _MILLI for cost in each.in_width.costs],
            _scaled(each.in_width.seconds, _MILLI),
        )
        for each in operations
    ]
    memory = [
        _Curve(
            each.type,
            f"{each.part if each in held else each.type}  {_power('n', each.in_length.memory)}",
            plan.lengths,
            [cost.memory * _MEGA for cost in each.in_length.costs],
            _scaled(each.in_length.memory, _MEGA),
            dashed=each in held,
        )
        for each in (*operations, *held)
    ]
    paths = [
        _Curve(
            each.type,
            f"{each.stack if each.stack == each.type else f'{each.stack} convolution'}  {each.found[-1]}",
            plan.path_lengths,
            each.found,
            dashed=each.stack == "contiguous",
        )
        for each in found.paths
    ]
    panels = (
        (
            "Time against length",
            f"milliseconds, n positions × {plan.rows_of_lengths} rows, d = {plan.width}",
            over_length,
        ),
        ("Time against width", f"milliseconds, n = {plan.length} × {plan.rows_of_widths} rows", over_width),
        (
            "Memory against length",
            f"MiB at the peak of one pass, n positions × {plan.rows_of_lengths} rows, d = {plan.width}",
            memory,
        ),
        ("Longest path between two positions", f"steps, k = {plan.kernel}, r = {plan.window}", paths),
    )
    for place, (title, subtitle, curves) in enumerate(panels):
        left, bottom = 0.05 + 0.51 * (place % 2), 0.575 - 0.505 * (place // 2)
        _panel(figure.add_axes((left, bottom, 0.27, 0.33)), title, subtitle, curves, "d" if place == 1 else "n")
    return figure


def _panel(axes: Axes, title: str, subtitle: str, curves: Sequence[_Curve], symbol: str) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = sorted({size for curve in curves for size in curve.sizes})
    values = [value for curve in curves for value in curve.values]
    axes.set_xlim(sizes[0] / 1.12, sizes[-1] * 1.12)
    axes.set_ylim(min(values) / 1.6, max(values) * 1.6)
    for curve in curves:
        _draw_curve(axes, curve)
    _label_ends(axes, curves)
    axes.xaxis.set_major_locator(FixedLocator(ticks(sizes)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
    axes.yaxis.set_major_locator(LogLocator(numticks=7))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.tick_params(length=0, labelsize=9, labelcolor=_QUIET, labelfontfamily=_FONT)
    axes.grid(axis="y", color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set(color="#c9d0d7", linewidth=0.8)
    axes.set_xlabel("width d" if symbol == "d" else "length n", color=_QUIET, fontsize=10, fontfamily=_FONT, labelpad=2)
    text: dict[str, Any] = {"transform": axes.transAxes, "ha": "left", "va": "bottom", "fontfamily": _FONT}
    axes.text(-0.1, 1.13, title, color=_INK, fontsize=12.5, fontweight="bold", **text)
    axes.text(-0.1, 1.05, subtitle, color=_QUIET, fontsize=9, **text)


def _draw_curve(axes: Axes, curve: _Curve) -> None:
    colour = _COLOURS[curve.type]
    ends = (curve.sizes[0], curve.sizes[-1]) if curve.fitted is not None else curve.sizes
    heights = [curve.fitted.at(size) for size in ends] if curve.fitted is not None else curve.values
    # thinner than the others, so that two curves can be seen where they lie upon each other
    style: dict[str, Any] = {"linewidth": 1.0, "linestyle": (0, (4, 2))} if curve.dashed else {"linewidth": 2.0}
    axes.plot(ends, heights, color=colour, **style)
    axes.plot(
        curve.sizes,
        curve.values,
        linestyle="none",
        marker="o",
        markersize=5.5,
        markerfacecolor=_PAPER if curve.dashed else colour,
        markeredgecolor=colour,
        clip_on=False,
    )


def _label_ends(axes: Axes, curves: Sequence[_Curve]) -> None:
    """Each curve's words at its right end, moved apart where ends lie close together."""
    low, high = (math.log(limit) for limit in axes.get_ylim())
    ends = sorted(curves, key=lambda curve: curve.values[-1])
    wanted = [(math.log(curve.values[-1]) - low) / (high - low) for curve in ends]
    for curve, height in zip(ends, spread(wanted, _APART), strict=True):
        axes.text(
            1.03,
            height,
            curve.label,
            transform=axes.transAxes,
            color=_COLOURS[curve.type],
            fontsize=9.5,
            fontfamily=_FONT,
            ha="left",
            va="center_baseline",
        )


def ticks(sizes: Sequence[int]) -> list[int]:
    """Of sizes in order the greatest, and going down from it those whose figures have room beside the one before."""
    room = math.log(sizes[-1] / sizes[0]) * _TICKS_APART
    kept = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if math.log(kept[-1] / size) >= room:
            kept.append(size)
    return kept[::-1]


def spread(wanted: Sequence[float], apart: float) -> list[float]:
    """Heights at least ``apart`` from each other, in the order given (from the lowest), near those that are wanted.

    Neighbours that come too near are moved as one group, about the middle of what its members want.
    """
    groups: list[list[float]] = []
    for height in wanted:
        groups.append([height])
        while len(groups) > 1 and _start(groups[-1], apart) < _start(groups[-2], apart) + apart * len(groups[-2]):
            last = groups.pop()
            groups[-1] += last
    return [_start(group, apart) + apart * place for group in groups for place in range(len(group))]


def _start(group: Sequence[float], apart: float) -> float:
    return sum(group) / len(group) - apart * (len(group) - 1) / 2


def _power(symbol: str, law: PowerLaw) -> str:
    return f"${symbol}^{{{law.exponent:.2f}}}$"


def _scaled(law: PowerLaw, unit: float) -> PowerLaw:
    return PowerLaw(law.factor * unit, law.exponent)
