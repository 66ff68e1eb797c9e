"""The bias audit of captions by groups of words, after Hendricks et al. 2018, "Women also Snowboard".

Every picture has a true group, by its references (`WordGroups.truth`). A caption is

* *right*: it says words of the true group and of no other;
* *wrong*: it says a word of another group, whatever else it says;
* *silent*: it says no word of any group; *neutral* if it names a person without saying which.

Rates are in per cent of the pictures of a group. Legend: N pictures.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.evaluation.caption_words import Words
from saccade.evaluation.measured import RESAMPLES, Measured, Times, to_score
from saccade.evaluation.regions import Box, checked_grid, coverage
from saccade.evaluation.translation import Score
from saccade.evaluation.word_groups import WordGroups

RARE = 20
UNIT = "pictures"
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Look:
    """Where the attention lay when the group's word was said: its share on the person and on the context.

    ``person_area`` is the person's share of the picture: what even attention would give it. It is the *right reason*
    if the person got more than the context did.
    """

    person: float
    context: float
    person_area: float

    @property
    def right_reason(self) -> bool:
        return self.person > self.context


@dataclass(frozen=True)
class GroupCaption:
    """One picture: the words said, its true group, words of its context (things, places), and the look if known."""

    picture: str
    said: Words
    truth: str
    context: frozenset[str] = frozenset()
    look: Look | None = None


@dataclass(frozen=True)
class GroupRates:
    """Of the pictures of one group: what was said. ``said`` counts, of all captions, those right or wrong with this
    group alone; ``said_share`` and ``true_share`` are shares among all groups, ``ratio`` is said to true: below 1 the
    captions say the group less often than it is there."""

    group: str
    pictures: int
    error: Score
    right: float
    wrong: float
    neutral: float
    silent: float
    said: int
    said_share: float
    true_share: float
    ratio: float


@dataclass(frozen=True)
class ContextError:
    """The error of one group where the context holds a word, and ``without`` it; ``rare``: few pictures have it."""

    context: str
    group: str
    pictures: int
    wrong: int
    error: float
    without: float | None
    rare: bool


@dataclass(frozen=True)
class Reasons:
    """Right or wrong × right or wrong reason, counted over the pictures in which a group's word was said and its
    attention is known. ``person`` and ``person_area``: mean share of attention on the person, and of its area."""

    group: str
    right_for_right: int
    right_for_wrong: int
    wrong_for_right: int
    wrong_for_wrong: int
    person: float
    person_area: float


@dataclass(frozen=True)
class Audit:
    """``gap`` is the error of the rarest group (``minority``) less that of the most frequent, in points, with interval.

    ``reasons`` begins with all groups together; it is empty where no attention was given.
    """

    pictures: int
    minority: str
    majority: str
    groups: tuple[GroupRates, ...]
    gap: Score
    contexts: tuple[ContextError, ...]
    reasons: tuple[Reasons, ...]
    rare: int = RARE


def look_at(weights_HW: NDArray[np.floating], person: Sequence[Box], context: Sequence[Box] | None = None) -> Look:
    """From the attention grid and the person's boxes; the context is what its boxes cover, or else all but the person.

    Where boxes of both overlap, the place is the person's.
    """
    grid_HW = checked_grid(weights_HW, "the group's word")
    person_HW = coverage(person, *grid_HW.shape)
    both_HW = np.ones_like(person_HW) if context is None else coverage([*person, *context], *grid_HW.shape)
    return Look(
        person=float((grid_HW * person_HW).sum()),
        context=float((grid_HW * (both_HW - person_HW)).sum()),
        person_area=float(person_HW.mean()),
    )


def audit(
    captions: Sequence[GroupCaption], groups: WordGroups, *, rare: int = RARE, resamples: int = RESAMPLES
) -> Audit:
    """The whole audit; intervals resample the pictures. 0 resamples: no interval."""
    table = _Table(captions, groups)
    by_size = sorted(groups.names, key=table.size)
    minority, majority = by_size[0], by_size[-1]

    def scored(name: str, score: Callable[[Times], float]) -> Score:
        return to_score(Measured(name, len(captions), score), settings="audit", unit=UNIT, resamples=resamples)

    rates = tuple(table.rates(name, scored(f"error, {name}", table.error(name))) for name in groups.names)
    low, high = table.error(minority), table.error(majority)
    return Audit(
        pictures=len(captions),
        minority=minority,
        majority=majority,
        groups=rates,
        gap=scored(f"error, {minority} − {majority}", lambda times_N: low(times_N) - high(times_N)),
        contexts=table.contexts(rare),
        reasons=table.reasons(),
        rare=rare,
    )


class _Table:
    """For each picture what was true and what was said."""

    def __init__(self, captions: Sequence[GroupCaption], groups: WordGroups) -> None:
        for one in captions:
            if one.truth not in groups.names:
                raise DataError(
                    f'{one.picture}: the true group is "{one.truth}", the groups are {", ".join(groups.names)}: leave '
                    "out pictures whose references do not agree"
                )
        self._captions, self._names = captions, groups.names
        self._truth_N = np.array([one.truth for one in captions], dtype=object)
        named = [groups.named(one.said) for one in captions]
        self._only_N = np.array([next(iter(one)) if len(one) == 1 else "" for one in named], dtype=object)
        self._right_N = _flags(said == {one.truth} for said, one in zip(named, captions, strict=True))
        self._wrong_N = _flags(bool(said - {one.truth}) for said, one in zip(named, captions, strict=True))
        self._neutral_N = _flags(groups.is_neutral(one.said) for one in captions)
        self._silent_N = ~self._right_N & ~self._wrong_N
        for name in groups.names:
            if not self.size(name):
                raise DataError(
                    f'none of {len(captions):,} pictures is of the group "{name}": there is nothing to compare'
                )

    def size(self, name: str) -> int:
        return int((self._truth_N == name).sum())

    def error(self, name: str) -> Callable[[Times], float]:
        of_N = self._truth_N == name
        wrong_N = of_N & self._wrong_N

        def score(times_N: Times) -> float:
            of = float(times_N @ of_N)
            return 100 * float(times_N @ wrong_N) / of if of else 0.0

        return score

    def rates(self, name: str, error: Score) -> GroupRates:
        of_N = self._truth_N == name
        said = int((self._only_N == name).sum())
        any_said = int((self._only_N != "").sum())
        said_share = said / any_said if any_said else 0.0
        true_share = float(of_N.mean())
        return GroupRates(
            group=name,
            pictures=int(of_N.sum()),
            error=error,
            right=_percent(self._right_N[of_N]),
            wrong=_percent(self._wrong_N[of_N]),
            neutral=_percent(self._neutral_N[of_N]),
            silent=_percent(self._silent_N[of_N]),
            said=said,
            said_share=100 * said_share,
            true_share=100 * true_share,
            ratio=said_share / true_share,
        )

    def contexts(self, rare: int) -> tuple[ContextError, ...]:
        """The groups of a word together; first the words with which the error of a group differs most surely."""
        words = sorted({word for one in self._captions for word in one.context})
        has = {word: _flags(word in one.context for one in self._captions) for word in words}
        surely = {word: max(self._surely(name, has[word]) for name in self._names) for word in words}
        found = []
        for word in sorted(words, key=lambda one: (-surely[one], -int(has[one].sum()), one)):
            for name in self._names:
                with_N, without_N = ((self._truth_N == name) & flags for flags in (has[word], ~has[word]))
                if not with_N.any():
                    continue
                pictures = int(with_N.sum())
                found.append(
                    ContextError(
                        context=word,
                        group=name,
                        pictures=pictures,
                        wrong=int(self._wrong_N[with_N].sum()),
                        error=_percent(self._wrong_N[with_N]),
                        without=_percent(self._wrong_N[without_N]) if without_N.any() else None,
                        rare=pictures < rare,
                    )
                )
        return tuple(found)

    def _surely(self, group: str, has_N: Flags) -> float:
        """By how many standard errors the group's error with a word differs from that without, were there one error."""
        of_N = self._truth_N == group
        wrong, with_word, without = self._wrong_N[of_N], self._wrong_N[of_N & has_N], self._wrong_N[of_N & ~has_N]
        if not len(with_word) or not len(without) or wrong.all() or not wrong.any():
            return 0.0
        share = wrong.mean()
        deviation = np.sqrt(share * (1 - share) * (1 / len(with_word) + 1 / len(without)))
        return float(abs(with_word.mean() - without.mean()) / deviation)

    def reasons(self) -> tuple[Reasons, ...]:
        looked_N = _flags(one.look is not None for one in self._captions) & ~self._silent_N
        if not looked_N.any():
            return ()
        every = [self._reasons("all", looked_N)]
        of_each = ((name, looked_N & (self._truth_N == name)) for name in self._names)
        return tuple(every + [self._reasons(name, flags_N) for name, flags_N in of_each if flags_N.any()])

    def _reasons(self, name: str, chosen_N: Flags) -> Reasons:
        looks = [
            one.look for one, chosen in zip(self._captions, chosen_N, strict=True) if chosen and one.look is not None
        ]
        reason = _flags(look.right_reason for look in looks)
        right = self._right_N[chosen_N]
        return Reasons(
            group=name,
            right_for_right=int((right & reason).sum()),
            right_for_wrong=int((right & ~reason).sum()),
            wrong_for_right=int((~right & reason).sum()),
            wrong_for_wrong=int((~right & ~reason).sum()),
            person=100 * float(np.mean([look.person for look in looks])),
            person_area=100 * float(np.mean([look.person_area for look in looks])),
        )


def _flags(values: Iterable[bool]) -> Flags:
    return np.array(list(values), dtype=bool)


def _percent(flags: Flags) -> float:
    return 100 * float(flags.mean())
