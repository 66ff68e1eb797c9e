import json
from dataclasses import asdict

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.evaluation.groups import GroupCaption, Look, audit, look_at
from saccade.evaluation.word_groups import GENDERED
from saccade.scenes.world import Box

ON_PERSON, ON_CONTEXT = Look(0.8, 0.2, 0.3), Look(0.2, 0.8, 0.3)


def caption(text: str, truth: str, *context: str, look: Look | None = None) -> GroupCaption:
    return GroupCaption("picture 1", tuple(text.split()), truth, frozenset(context), look)


# four women: one right, two wrong (one of them says both), one neutral; six men: five right, one silent
CAPTIONS = [
    caption("a woman cooks", "woman", "kitchen", look=ON_PERSON),
    caption("a man on a snowboard", "woman", "snowboard", look=ON_CONTEXT),
    caption("a man and a woman", "woman", "snowboard"),
    caption("a person cooks", "woman", "kitchen", look=ON_PERSON),
    *[caption("a man on a snowboard", "man", "snowboard", look=ON_CONTEXT)] * 3,
    *[caption("a man", "man", look=ON_PERSON)] * 2,
    caption("a dog", "man"),
]


def test_rates_by_hand() -> None:
    found = audit(CAPTIONS, GENDERED, resamples=0)
    woman, man = found.groups
    assert (woman.group, woman.pictures, man.pictures) == ("woman", 4, 6)
    assert (woman.right, woman.wrong, woman.silent, woman.neutral) == (25, 50, 25, 25)
    assert (man.right, man.wrong, man.silent, man.neutral) == pytest.approx((500 / 6, 0, 100 / 6, 0))
    assert woman.error.value == 50
    # seven captions name one group alone, one of them the woman's
    assert woman.said == 1
    assert (woman.said_share, woman.true_share) == pytest.approx((100 / 7, 40))
    assert woman.ratio == pytest.approx(10 / 28)
    assert (found.minority, found.majority, found.gap.value) == ("woman", "man", 50)


def test_error_where_a_word_is_in_the_context() -> None:
    found = audit(CAPTIONS, GENDERED, rare=3, resamples=0)
    rows = {(one.context, one.group): one for one in found.contexts}
    assert list(rows) == [("snowboard", "woman"), ("snowboard", "man"), ("kitchen", "woman")]
    board = rows["snowboard", "woman"]
    assert (board.pictures, board.wrong, board.error, board.without, board.rare) == (2, 2, 100, 0, True)
    assert not rows["snowboard", "man"].rare
    assert rows["kitchen", "woman"].error == 0


def test_words_that_go_with_errors_come_first() -> None:
    """All have a coat, half a hat; women who ride, few of them, are called men."""
    captions = [
        GroupCaption(
            str(n),
            ("man" if n < 6 else "woman",),
            "woman",
            frozenset({"coat", *(["hat"] if n % 2 else []), *(["horse"] if n < 6 else [])}),
        )
        for n in range(40)
    ] + [GroupCaption(f"m{n}", ("man",), "man", frozenset({"coat"})) for n in range(40)]
    found = audit(captions, GENDERED, rare=3, resamples=0)
    assert [one.context for one in found.contexts] == ["horse", "coat", "coat", "hat"]


def test_the_four_cells() -> None:
    every, woman, man = audit(CAPTIONS, GENDERED, resamples=0).reasons
    # the neutral caption says no word of a group, the one that says both was not looked at: neither is counted
    assert (every.group, every.right_for_right, every.right_for_wrong) == ("all", 3, 3)
    assert (every.wrong_for_right, every.wrong_for_wrong) == (0, 1)
    assert (woman.right_for_right, woman.wrong_for_wrong) == (1, 1)
    assert (man.right_for_right, man.right_for_wrong) == (2, 3)
    assert man.person == pytest.approx(100 * (3 * 0.2 + 2 * 0.8) / 5)
    assert man.person_area == pytest.approx(30)


def test_without_attention_there_are_no_reasons() -> None:
    assert audit([caption("a man", "man"), caption("a woman", "woman")], GENDERED, resamples=0).reasons == ()


def test_the_gap_has_an_interval() -> None:
    clear, none = (
        audit(
            [caption("a man" if n % 10 < wrong else "a woman", "woman") for n in range(100)]
            + [caption("a woman" if n % 10 < 2 else "a man", "man") for n in range(200)],
            GENDERED,
            resamples=200,
        ).gap
        for wrong in (6, 2)
    )
    assert clear.value == pytest.approx(40)
    assert clear.interval is not None
    assert clear.interval.low > 20
    assert none.interval is not None
    assert none.interval.low < 0 < none.interval.high


def test_the_look_from_grid_and_boxes() -> None:
    weights_HW = np.array([[6.0, 2.0], [1.0, 1.0]])
    person, board = Box(0, 0, 0.5, 0.5), Box(0, 0, 1, 0.5)
    whole = look_at(weights_HW, [person])
    assert (whole.person, whole.context, whole.person_area) == pytest.approx((0.6, 0.4, 0.25))
    assert whole.right_reason
    # of the board only what is not the person's counts
    assert look_at(weights_HW, [person], [board]).context == pytest.approx(0.2)
    assert not look_at(weights_HW[::-1], [person]).right_reason


def test_it_is_plain_json() -> None:
    text = json.dumps(asdict(audit(CAPTIONS, GENDERED, resamples=10)), allow_nan=False)
    assert json.loads(text)["groups"][0]["error"]["interval"]["level"] == 0.95


def test_what_cannot_be_audited() -> None:
    with pytest.raises(DataError, match='the true group is "child", the groups are woman, man: leave out'):
        audit([caption("a man", "child")], GENDERED)
    with pytest.raises(DataError, match='none of 1 pictures is of the group "woman": there is nothing to compare'):
        audit([caption("a man", "man")], GENDERED)
