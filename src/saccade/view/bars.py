"""Pairs of horizontal bars in per cent as inline SVG: a rate and what it is held against."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _LEFT, _RIGHT, _ROW, _BAR = 640, 150, 110, 40, 12


@dataclass(frozen=True)
class BarPair:
    """``value`` and, if there is one, what to hold it ``against``, both from 0 to 100; ``remark`` stands behind."""

    name: str
    value: float
    against: float | None = None
    remark: str = ""
    quiet: bool = False


def bars(title: str, pairs: Sequence[BarPair], *, value_name: str, against_name: str | None = None) -> str:
    """A figure with a row for each pair; ``quiet`` rows are pale, for numbers that rest on little."""
    keys = f'<span class="key">{escape(value_name)}</span>'
    if against_name is not None:
        keys += f'<span class="key key-against">{escape(against_name)}</span>'
    rows = "".join(_row(pair, place * _ROW) for place, pair in enumerate(pairs))
    height = len(pairs) * _ROW + 4
    told = f"{title}: " + "; ".join(_words(pair, value_name, against_name) for pair in pairs)
    return (
        f'<figure class="bars"><figcaption>{escape(title)}{keys}</figcaption>'
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(told, quote=True)}">'
        f"{rows}</svg></figure>"
    )


def _row(pair: BarPair, y: int) -> str:
    room = _WIDTH - _LEFT - _RIGHT
    kind = ' class="pale"' if pair.quiet else ""
    parts = [f'<text x="{_LEFT - 12}" y="{y + 20}" text-anchor="end">{escape(pair.name)}</text>']
    parts.append(_bar("value", y + (4 if pair.against is not None else 10), pair.value, room))
    if pair.against is not None:
        parts.append(_bar("against", y + 5 + _BAR, pair.against, room))
    if pair.remark:
        parts.append(f'<text class="remark" x="{_WIDTH}" y="{y + 20}" text-anchor="end">{escape(pair.remark)}</text>')
    return f"<g{kind}>{''.join(parts)}</g>"


def _bar(kind: str, y: int, share: float, room: int) -> str:
    length = max(share / 100 * room, 0.5)
    return (
        f'<rect class="{kind}" x="{_LEFT}" y="{y}" width="{length:.1f}" height="{_BAR}"/>'
        f'<text class="number" x="{_LEFT + length + 6:.1f}" y="{y + _BAR - 2}">{share:.1f}</text>'
    )


def _words(pair: BarPair, value_name: str, against_name: str | None) -> str:
    held = f", {against_name} {pair.against:.1f}" if pair.against is not None and against_name is not None else ""
    return f"{pair.name}: {value_name} {pair.value:.1f}{held}"
