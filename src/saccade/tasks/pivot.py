"""Pivoting: from one language to another by way of a third, two translations in a row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from saccade.errors import DecodingError
from saccade.tasks.translator import DecodeSettings, Into, Translation


class Leg(Protocol):
    """One translation of all texts."""

    def __call__(
        self,
        texts: Sequence[str],
        settings: DecodeSettings,
        /,
        *,
        into: Into,
        first: int,
        on_progress: Callable[[int], None],
    ) -> list[Translation]: ...


@dataclass(frozen=True)
class PivotTranslation(Translation):
    """A translation of a translation; ``via`` is the text halfway."""

    via: str = field(kw_only=True)


def by_way_of(
    via: str,
    leg: Leg,
    texts: Sequence[str],
    settings: DecodeSettings,
    *,
    into: Into,
    first: int,
    on_progress: Callable[[int], None],
) -> list[Translation]:
    """The best translation of each text into ``via``, translated into the language asked for."""
    if via == into or (not isinstance(into, str) and via in (into or ())):
        raise DecodingError(f"the way into {via} does not lead through {via}: leave --via out")
    halfway = leg(
        texts, replace(settings, nbest=1), into=via, first=first, on_progress=lambda done: on_progress(done // 2)
    )
    arrived = leg(
        [one.text for one in halfway],
        settings,
        into=into,
        first=first,
        on_progress=lambda done: on_progress((len(texts) + done) // 2),
    )
    return [
        PivotTranslation(text, end.candidates, via=middle.text)
        for text, middle, end in zip(texts, halfway, arrived, strict=True)
    ]
