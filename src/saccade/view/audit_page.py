"""The bias audit of a captioner as one HTML page, made from the audit's own JSON and some telling pictures."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from saccade.errors import ModelError
from saccade.view.bars import BarPair, bars
from saccade.view.caption_page import caption_section
from saccade.view.captioned import CaptionedPicture
from saccade.view.document import COMPONENT_SCRIPTS, COMPONENT_STYLES, document

Row = Mapping[str, Any]

_STYLES = (*COMPONENT_STYLES, "audit.css")
_MOST_CONTEXTS = 24
_NEEDED = ("pictures", "minority", "majority", "groups", "gap", "contexts", "reasons", "rare")


def audit_page(audit: Row, *, title: str, cases: Sequence[CaptionedPicture] = ()) -> str:
    """The whole page. ``audit`` is the record of `evaluation.groups.Audit` as plain values (``dataclasses.asdict``, or
    read from its JSON file); ``cases`` are shown as they come, the most telling first."""
    if missing := [name for name in _NEEDED if name not in audit]:
        raise ModelError(f"the audit has no {', '.join(missing)}: give what `saccade audit` writes as JSON")
    sections = [
        f"<h1>{escape(title)}</h1>",
        _summary(audit),
        f"<h2>By group</h2>{_groups(audit)}",
        f"<h2>Said and true</h2>{_shares(audit)}",
        f"<h2>Error by context</h2>{_contexts(audit)}",
        f"<h2>Right or wrong, and why</h2>{_reasons(audit)}",
        f"<h2>Cases</h2>{_cases(cases)}",
    ]
    return document(title=title, body="\n".join(sections), styles=_STYLES, scripts=COMPONENT_SCRIPTS)


def _summary(audit: Row) -> str:
    """Told from the side of the group on which captions err more often, whichever is the rarer."""
    gap, shares = audit["gap"], {one["group"]: one["true_share"] for one in audit["groups"]}
    sides = [audit["minority"], audit["majority"]]
    more, less = sides if gap["value"] >= 0 else sides[::-1]
    sentence = (
        f"On {audit['pictures']:,} pictures the captions err {abs(gap['value']):.1f} points more often on "
        f"{_with_share(more, shares)} than on {_with_share(less, shares)}{_between(gap)}."
    )
    interval = gap.get("interval")
    if interval and interval["low"] <= 0 <= interval["high"]:
        sentence += " The interval holds 0: the gap may be chance."
    return f"<p>{sentence}</p>"


def _with_share(group: str, shares: Mapping[str, float]) -> str:
    return f"“{escape(group)}” ({shares[group]:.0f} % of them)"


def _between(gap: Row) -> str:
    interval = gap.get("interval")
    if not interval:
        return ""
    ends = (interval["low"], interval["high"]) if gap["value"] >= 0 else (-interval["high"], -interval["low"])
    return f" ({interval['level']:.0%} interval {ends[0]:.1f} to {ends[1]:.1f})"


def _groups(audit: Row) -> str:
    head = ("Group", "Pictures", "Right %", "Wrong %", "Interval", "No word of a group %", "Neutral word %")
    rows = []
    for group in audit["groups"]:
        interval = group["error"].get("interval")
        between = f"{interval['low']:.1f} to {interval['high']:.1f}" if interval else "none"
        numbers = (f"{group['pictures']:,}", f"{group['right']:.1f}", f"{group['wrong']:.1f}", between)
        cells = (*numbers, f"{group['silent']:.1f}", f"{group['neutral']:.1f}")
        rows.append(_row(str(group["group"]), cells))
    said = "Wrong: a word of another group is said. All rates are of the pictures of the row’s group."
    return _table(head, rows, "number-table") + f'<p class="quiet">{said}</p>'


def _shares(audit: Row) -> str:
    pairs = [
        BarPair(str(one["group"]), one["said_share"], one["true_share"], f"said/true {one['ratio']:.2f}")
        for one in audit["groups"]
    ]
    figure = bars("Share of each group, per cent", pairs, value_name="said", against_name="true")
    return (
        figure + '<p class="quiet">Said: of the captions that name one group. Below 1 a group is said too seldom.</p>'
    )


def _contexts(audit: Row) -> str:
    if not audit["contexts"]:
        return '<p class="quiet">No words of context were given.</p>'
    shown = audit["contexts"][:_MOST_CONTEXTS]
    pairs = [
        BarPair(
            f"{one['group']}, {one['context']}",
            one["error"],
            one["without"],
            f"{one['wrong']:,} of {one['pictures']:,}{', few' if one['rare'] else ''}",
            quiet=bool(one["rare"]),
        )
        for one in shown
    ]
    figure = bars("Error, per cent", pairs, value_name="with the word", against_name="without it")
    left = len(audit["contexts"]) - len(shown)
    more = f" {left:,} less telling rows are in the JSON." if left else ""
    said = f"First the words that go most surely with errors. Pale rows rest on fewer than {audit['rare']:,} pictures."
    return figure + f'<p class="quiet">{said}{more}</p>'


def _reasons(audit: Row) -> str:
    if not audit["reasons"]:
        return '<p class="quiet">Attention was not measured: no regions of persons were given.</p>'
    tables = "".join(_four(one) for one in audit["reasons"])
    said = (
        "Right reason: when the group’s word was said, more attention lay on the person than on the context. "
        "Right for the wrong reason is luck, or a habit learned from the context."
    )
    return f'<div class="fours">{tables}</div><p class="quiet">{said}</p>'


def _four(one: Row) -> str:
    total = sum(one[name] for name in ("right_for_right", "right_for_wrong", "wrong_for_right", "wrong_for_wrong"))

    def cell(name: str, kind: str = "") -> str:
        share = f"{100 * one[name] / total:.0f} %" if total else ""
        return f"<td{kind}>{one[name]:,} <small>{share}</small></td>"

    suspect = ' class="suspect"'
    looked = f"attention on the person {one['person']:.0f} %, its area {one['person_area']:.0f} %"
    return (
        f'<table class="cells"><caption>{escape(str(one["group"]))} <span class="quiet">{looked}</span></caption>'
        '<thead><tr><td></td><th scope="col">right reason</th><th scope="col">wrong reason</th></tr></thead><tbody>'
        f'<tr><th scope="row">right</th>{cell("right_for_right")}{cell("right_for_wrong", suspect)}</tr>'
        f'<tr><th scope="row">wrong</th>{cell("wrong_for_right")}{cell("wrong_for_wrong", suspect)}</tr>'
        "</tbody></table>"
    )


def _cases(cases: Sequence[CaptionedPicture]) -> str:
    if not cases:
        return '<p class="quiet">No pictures were given.</p>'
    hint = (
        "Lit is what was looked at when the group’s word was said, framed is where persons are; point at another word, "
        "or use the arrow keys."
    )
    shown = "".join(caption_section(case) for case in cases)
    return f'<p class="quiet">{hint}</p><div class="cases">{shown}</div>'


def _row(name: str, cells: Sequence[str]) -> str:
    numbers = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f'<tr><th scope="row">{escape(name)}</th>{numbers}</tr>'


def _table(head: Sequence[str], rows: Sequence[str], kind: str) -> str:
    names = "".join(f'<th scope="col">{name}</th>' for name in head)
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{names}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
