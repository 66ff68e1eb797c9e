"""Curves over the steps of training, drawn as inline SVG with the values to point at."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from saccade.view.document import json_for_script

_WIDTH, _HEIGHT = 440, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 10, 26
_MOST_POINTS = 600


@dataclass(frozen=True)
class Point:
    """One measurement. A value that is not finite makes a gap in the curve."""

    step: float
    value: float


@dataclass(frozen=True)
class Series:
    """One curve; ``best`` is the step of the point to mark, if any."""

    name: str
    points: tuple[Point, ...]
    best: float | None = None


def chart(title: str, series: Sequence[Series]) -> str:
    """A figure with axes and curves. With no finite value at all it says so instead."""
    shown = [_thinned(each) for each in series]
    finite = [point for each in shown for point in each.points if math.isfinite(point.value)]
    caption = f"<figcaption>{escape(title)}{_legend(series)}</figcaption>"
    if not finite:
        return f'<figure class="chart">{caption}<p class="quiet">No finite value yet.</p></figure>'
    steps = _Axis.over([point.step for point in finite], from_zero=True)
    values = _Axis.over([point.value for point in finite], from_zero=False)

    def x(step: float) -> float:
        return _LEFT + steps.share(step) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - values.share(value) * (_HEIGHT - _TOP - _BOTTOM)

    parts = []
    for tick in values.ticks:
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{short(tick)}</text>')
    for tick in steps.ticks:
        parts.append(f'<text x="{x(tick):.1f}" y="{_HEIGHT - 6}" text-anchor="middle">{short(tick)}</text>')
    for place, each in enumerate(shown):
        for run in _runs(each.points):
            path = "".join(f"{'L' if n else 'M'}{x(p.step):.1f} {y(p.value):.1f}" for n, p in enumerate(run))
            if len(run) == 1:
                path += "h0.01"
            parts.append(f'<path class="curve curve-{place}" d="{path}"/>')
        for point in each.points:
            if point.step == each.best and math.isfinite(point.value):
                at = f'cx="{x(point.step):.1f}" cy="{y(point.value):.1f}"'
                parts.append(f'<circle class="best" {at} r="4.5"><title>best</title></circle>')
    hover = [
        {
            "name": each.name,
            "points": [
                [point.step, _plain(point.value), round(x(point.step), 1), round(y(point.value), 1)]
                for point in each.points
                if math.isfinite(point.value)
            ],
        }
        for each in shown
    ]
    return (
        f'<figure class="chart">{caption}<script type="application/json">{json_for_script(hover)}</script>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(_summary(title, shown), quote=True)}">'
        f'{"".join(parts)}<line class="at" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" visibility="hidden"/></svg>'
        '<p class="values" aria-live="polite"></p></figure>'
    )


def short(value: float) -> str:
    """A number for an axis or a heading: ``2.5k``, ``1.2M``, ``0.0005``."""
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:.4g}M"
    if size >= 1e3:
        return f"{value / 1e3:.4g}k"
    if size >= 1 or value == 0:
        return f"{value:.4g}"
    text = f"{value:.2g}"
    if "e" not in text:
        return text
    digits, _, power = text.partition("e")
    return f"{digits}e{int(power)}"


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def over(cls, values: Sequence[float], *, from_zero: bool) -> "_Axis":
        """From the smallest to the largest value, with ticks at 1, 2 or 5 times a power of ten."""
        low, high = (0.0 if from_zero else min(values)), max(values)
        if high <= low:
            low, high = low - abs(low) * 0.1 - 1e-9, high + abs(high) * 0.1 + 1e-9
        rough = (high - low) / 4
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
        if not from_zero:
            low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        first = math.ceil(low / step - 1e-9)
        ticks = tuple(tick * step for tick in range(first, math.floor(high / step + 1e-9) + 1))
        return cls(low, high, ticks)

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)


def _thinned(series: Series) -> Series:
    """At most some hundreds of points, evenly taken, always with the last and the best one."""
    every = math.ceil(len(series.points) / _MOST_POINTS)
    last = len(series.points) - 1
    kept = (p for n, p in enumerate(series.points) if n % max(every, 1) == 0 or n == last or p.step == series.best)
    return Series(series.name, tuple(kept), series.best)


def _runs(points: Sequence[Point]) -> list[list[Point]]:
    """The points without those that are not finite, broken where they were."""
    runs: list[list[Point]] = [[]]
    for point in points:
        if math.isfinite(point.value):
            runs[-1].append(point)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _plain(value: float) -> float:
    return float(f"{value:.5g}")


def _legend(series: Sequence[Series]) -> str:
    if len(series) < 2:
        return ""
    return "".join(f'<span class="key key-{place}">{escape(each.name)}</span>' for place, each in enumerate(series))


def _summary(title: str, series: Sequence[Series]) -> str:
    lasts = []
    for each in series:
        finite = [point for point in each.points if math.isfinite(point.value)]
        if finite:
            lasts.append(f"{each.name} {_plain(finite[-1].value)} at step {finite[-1].step:g}")
    return f"{title}: {'; '.join(lasts)}"
