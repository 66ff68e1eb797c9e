import json
import re
from dataclasses import asdict
from typing import Any

import pytest

from saccade.errors import ModelError
from saccade.evaluation.groups import GroupCaption, Look, audit
from saccade.evaluation.word_groups import GENDERED, WordGroup, WordGroups
from saccade.view.audit_page import audit_page
from view.captions import caption, captioned
from view.pages import parse
from view.test_page import ATTACKS

ON_PERSON = Look(0.6, 0.4, 0.3)


def record(groups: WordGroups = GENDERED, *, context: str = "snowboard", look: Look | None = ON_PERSON) -> Any:
    """Ten of the first group, three of them called by the other's name; thirty of the second, all right."""
    one, other = (sorted(group.words)[0] for group in groups.groups)
    captions = [
        GroupCaption(f"p{n}", (other if n < 3 else one,), groups.names[0], frozenset({context}), look)
        for n in range(10)
    ] + [GroupCaption(f"q{n}", (other,), groups.names[1], frozenset({context}), look) for n in range(30)]
    return json.loads(json.dumps(asdict(audit(captions, groups, resamples=50))))


def test_the_numbers_are_told() -> None:
    text = parse(audit_page(record(), title="Audit")).text
    told = (
        "On 40 pictures the captions err 30.0 points more often on “woman” (25 % of them) than on “man” (75 % of them)"
    )
    assert told in text
    assert "woman 10 70.0 30.0" in text
    assert "man 30 100.0 0.0" in text
    assert "said/true 0.70" in text  # 7 of 40 said, 10 of 40 true
    assert "3 of 10, few" in text
    assert "0 of 30" in text
    assert "all attention on the person 60 %, its area 30 % right reason wrong reason right 37 92 % 0 0 %" in text
    assert "No pictures were given." in text


def test_bars_are_as_long_as_the_shares() -> None:
    html = audit_page(record(), title="Audit")
    widths = [float(width) for width in re.findall(r'<rect class="value"[^>]*width="([\d.]+)"', html)]
    said_woman, said_man = widths[:2]
    assert said_woman / said_man == pytest.approx(7 / 33, abs=0.01)


def test_a_gap_that_may_be_chance_is_said() -> None:
    even = record()
    even["gap"] = {"name": "gap", "value": -1.0, "interval": {"low": -4.0, "high": 2.0, "level": 0.95}}
    text = parse(audit_page(even, title="Audit")).text
    assert (
        "err 1.0 points more often on “man” (75 % of them) than on “woman” (25 % of them) (95% interval -2.0 to 4.0)"
        in text
    )
    assert "The interval holds 0: the gap may be chance." in text
    even["gap"]["interval"]["high"] = -0.5
    assert "may be chance" not in parse(audit_page(even, title="Audit")).text


def test_what_was_not_measured_is_said() -> None:
    without = {**record(look=None), "contexts": []}
    text = parse(audit_page(without, title="Audit")).text
    assert "Attention was not measured: no regions of persons were given." in text
    assert "No words of context were given." in text


def test_cases_are_pictures_with_the_word_lit() -> None:
    case = captioned(caption("", open_at=2), name="p3: truth woman, said man")
    parsed = parse(audit_page(record(), title="Audit", cases=[case]))
    assert "p3: truth woman, said man" in parsed.text
    assert json.loads("".join(parsed.data_scripts))["captions"][0]["open"] == 2


@pytest.mark.parametrize("attack", ATTACKS)
def test_texts_never_become_markup(attack: str) -> None:
    def made(text: str) -> Any:
        groups = WordGroups((WordGroup(text, frozenset({"x"})), WordGroup("other", frozenset({"y"}))))
        return parse(audit_page(record(groups, context=text), title=text))

    harmless, attacked = made("harmless"), made(attack)
    assert attacked.tags == harmless.tags
    assert [each[:2] for each in attacked.attributes] == [each[:2] for each in harmless.attributes]
    assert attacked.comments == []
    assert not [name for _, name, _ in attacked.attributes if name.startswith("on") or name == "style"]


def test_what_is_no_audit() -> None:
    with pytest.raises(ModelError, match="the audit has no groups, gap, contexts, reasons, rare: give what"):
        audit_page({"pictures": 1, "minority": "a", "majority": "b"}, title="Audit")
