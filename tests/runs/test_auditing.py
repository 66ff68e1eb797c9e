"""The audit of a captioner that says the truth and looks where it is told."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade import scenes
from saccade.evaluation.regions import cell_centres_covered
from saccade.evaluation.word_groups import GENDERED
from saccade.runs.auditing import audit_run
from saccade.runs.captioning import Captioned, CaptionRun
from saccade.tasks.captioned import Told, told_pictures
from saccade.tasks.describer import Described
from saccade.tasks.pointing import LookedAt
from saccade.tasks.translator import Candidate

SIDE = 32


@dataclass(frozen=True)
class Staring:
    """So much of the attention lies on the person and on the thing; the rest, somewhere else, is on neither."""

    person: float
    thing: float
    lies: bool = False
    layers: tuple[str, ...] = ("decoder.0.cross",)
    lens: None = None

    def caption(self, pictures: Sequence[Told], **_settings: Any) -> list[Captioned]:
        return [self._caption(one) for one in pictures]

    def _caption(self, one: Told) -> Captioned:
        text, weights = one.captions[0], self._weights(one)
        if self.lies:
            text = " ".join({"woman": "man", "man": "woman"}.get(word, word) for word in text.split())
        described = Described((Candidate(text, 0.0, True),), tuple(range(len(text.split()))))
        return Captioned(one, described, tuple(LookedAt(word, weights) for word in text.split()), "crop")

    def _weights(self, one: Told) -> NDArray[np.float32]:
        assert isinstance(one.picture, scenes.Captioned)
        assert one.picture.study is not None
        person = cell_centres_covered(one.picture.study.person, SIDE, SIDE)
        thing = cell_centres_covered(one.picture.study.surroundings, SIDE, SIDE) & ~person
        parts = ((person, self.person), (thing, self.thing), (~person & ~thing, 1 - self.person - self.thing))
        return sum((share * part / part.sum() for part, share in parts), np.zeros((SIDE, SIDE))).astype(np.float32)


@pytest.fixture(scope="module")
def people() -> list[Told]:
    return list(told_pictures("scenes:people?size=30", split="test"))


def reasons(run: Staring, pictures: Sequence[Told]) -> tuple[int, int]:
    """How many were right for the right reason, and for the wrong one; nothing is said that is not true."""
    every = audit_run(cast(CaptionRun, run), pictures, GENDERED).audit.reasons[0]
    assert (every.wrong_for_right, every.wrong_for_wrong) == (0, 0)
    return every.right_for_right, every.right_for_wrong


def test_the_person_is_held_against_the_things_and_not_against_the_empty_ground(people: list[Told]) -> None:
    assert reasons(Staring(person=0.3, thing=0.1), people) == (30, 0)
    assert reasons(Staring(person=0.1, thing=0.3), people) == (0, 30)


def test_where_no_thing_has_a_box_all_but_the_person_is_context(people: list[Told]) -> None:
    """Clothes lie within the person: they are no context either."""
    known = ("woman", "man", "coat")
    alone = [replace(one, boxes={word: one.boxes[word] for word in known if word in one.boxes}) for one in people]
    assert all("coat" in one.boxes for one in alone)
    assert reasons(Staring(person=0.3, thing=0.1), alone) == (0, 30)
    assert reasons(Staring(person=0.6, thing=0.1), alone) == (30, 0)


def test_cases_frame_the_persons_even_where_the_wrong_word_is_said(people: list[Told]) -> None:
    found = audit_run(cast(CaptionRun, Staring(person=0.1, thing=0.3, lies=True)), people, GENDERED)
    named = {one.name: one for one in people}
    assert found.cases
    for case in found.cases:
        (caption,) = case.captions
        assert caption.open is not None
        true = next(word for word in ("woman", "man") if word in named[case.name].boxes)
        assert caption.words[caption.open].word != true
        assert tuple(caption.words[caption.open].boxes) == named[case.name].boxes[true]
