"""The audit of a captioner: whom it takes for whom, how often, and where it looked when it said so."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from saccade.errors import DataError
from saccade.evaluation.caption_words import Words, caption_words
from saccade.evaluation.groups import RARE, Audit, GroupCaption, Look, audit, look_at
from saccade.evaluation.regions import ROUNDING, Box
from saccade.evaluation.word_groups import WordGroups
from saccade.runs.captioning import Captioned, CaptionRun
from saccade.tasks.captioned import POINTLESS, Told
from saccade.tasks.equalizing import hidden_words
from saccade.view.captioned import CaptionedPicture

CASES = 12
VERBS = frozenset(("is", "are", "at", "to", "by", "for", "from", "while", "as", "it", "up", "down", "out", "over"))


@dataclass(frozen=True)
class AuditedRun:
    """The audit, how many pictures were left out since their references do not agree, and the most telling cases."""

    audit: Audit
    left_out: int
    cases: tuple[CaptionedPicture, ...] = field(repr=False)

    def record(self) -> dict[str, Any]:
        """As plain values, for JSON and for a page."""
        return {**asdict(self.audit), "left_out": self.left_out}


@dataclass(frozen=True)
class _Case:
    """A caption as it was judged, where in it a group is named, and the boxes of the persons in the picture."""

    captioned: Captioned
    judged: GroupCaption
    place: int | None
    persons: tuple[Box, ...]


def audit_run(
    run: CaptionRun,
    pictures: Sequence[Told],
    groups: WordGroups,
    *,
    agree: int = 1,
    on_progress: Callable[[int], None] = lambda done: None,
    **settings: Any,
) -> AuditedRun:
    """Captions the pictures whose references name one group, ``agree`` of them at least and no other, and judges."""
    references = [[caption_words(text) for text in one.captions] for one in pictures]
    truths = [groups.truth(every, agree=agree) for every in references]
    chosen = [number for number, truth in enumerate(truths) if truth is not None]
    if not chosen:
        raise DataError(
            f"no picture has references that say a word of one group ({', '.join(groups.names)}) and of no other"
        )
    lens = run.lens if any(one.boxes for one in pictures) else None
    captioned = run.caption([pictures[number] for number in chosen], lens=lens, on_progress=on_progress, **settings)
    contexts = _contexts([references[number] for number in chosen], groups)
    cases = [
        _judged(one, str(truths[number]), context, groups, looks=bool(run.layers))
        for one, number, context in zip(captioned, chosen, contexts, strict=True)
    ]
    found = audit([case.judged for case in cases], groups)
    return AuditedRun(found, len(pictures) - len(chosen), _telling(cases, groups))


def _contexts(references: Sequence[Sequence[Words]], groups: WordGroups) -> list[frozenset[str]]:
    """For each picture the words of its references that are of no group, and are not rare among all pictures."""
    persons = hidden_words(groups)
    said = [
        frozenset(
            word
            for words in every
            for word in words
            if word.isalpha() and word not in persons and word not in POINTLESS and word not in VERBS
        )
        for every in references
    ]
    pictures = Counter(word for words in said for word in words)
    return [frozenset(word for word in words if pictures[word] >= RARE) for words in said]


def _judged(one: Captioned, truth: str, context: frozenset[str], groups: WordGroups, *, looks: bool) -> _Case:
    place = groups.place(tuple(look.plain for look in one.looks))
    words = hidden_words(groups)
    persons = tuple(dict.fromkeys(box for word, every in one.picture.boxes.items() if word in words for box in every))
    return _Case(
        one,
        GroupCaption(
            picture=one.picture.name,
            said=caption_words(one.text),
            truth=truth,
            context=context,
            look=_look(one, place, persons) if looks and place is not None else None,
        ),
        place,
        persons,
    )


def _look(one: Captioned, place: int, persons: Sequence[Box]) -> Look | None:
    """None where nobody knows where the persons are.

    The context is what else of the references has a box, but for what persons wear. Without such a box it is all but
    the persons.
    """
    boxes = (box for every in one.picture.boxes.values() for box in every)
    context = [box for box in boxes if not any(_lies_within(box, other) for other in persons)]
    return look_at(one.looks[place].weights_hw, persons, context or None) if persons else None


def _lies_within(box: Box, other: Box) -> bool:
    return (
        other.left <= box.left + ROUNDING
        and other.top <= box.top + ROUNDING
        and box.right <= other.right + ROUNDING
        and box.bottom <= other.bottom + ROUNDING
    )


def _telling(cases: Sequence[_Case], groups: WordGroups) -> tuple[CaptionedPicture, ...]:
    """Wrong for the wrong reason, right for the wrong reason, wrong for the right one; a third of each at most."""
    kinds: dict[str, list[_Case]] = {"wrong for the wrong reason": [], "right for the wrong reason": [], "wrong": []}
    for case in cases:
        wrong = bool(groups.named(case.judged.said) - {case.judged.truth})
        strayed = case.judged.look is not None and not case.judged.look.right_reason
        if wrong and strayed:
            kinds["wrong for the wrong reason"].append(case)
        elif strayed and case.place is not None:
            kinds["right for the wrong reason"].append(case)
        elif wrong:
            kinds["wrong"].append(case)
    return tuple(
        _shown(case, kind)
        for kind, found in kinds.items()
        for case in sorted(found, key=_context_share, reverse=True)[: CASES // len(kinds)]
    )


def _context_share(case: _Case) -> float:
    return 0.0 if case.judged.look is None else case.judged.look.context


def _shown(case: _Case, kind: str) -> CaptionedPicture:
    """At the group's word with the boxes of all persons: a wrong word has none of its own."""
    look = case.judged.look
    caption = case.captioned.look(open=case.place)
    words = tuple(
        replace(word, boxes=case.persons) if number == case.place else word for number, word in enumerate(caption.words)
    )
    looked = "" if look is None else f"; {look.person:.0%} of the attention on the person"
    return CaptionedPicture(
        case.captioned.picture.name,
        case.captioned.pixels(),
        (replace(caption, words=words),),
        note=f"{kind}: true is “{case.judged.truth}”{looked}",
    )
