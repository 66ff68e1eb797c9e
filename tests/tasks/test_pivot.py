from collections.abc import Callable, Sequence

import pytest

from saccade.errors import DecodingError
from saccade.tasks.pivot import PivotTranslation, by_way_of
from saccade.tasks.translator import Candidate, DecodeSettings, Into, Translation


def leg(
    texts: Sequence[str], settings: DecodeSettings, *, into: Into, first: int, on_progress: Callable[[int], None]
) -> list[Translation]:
    """Writes down what it was asked for."""
    languages = [into] * len(texts) if into is None or isinstance(into, str) else into
    for done in range(1, len(texts) + 1):
        on_progress(done)
    found: list[Translation] = []
    for text, language in zip(texts, languages, strict=True):
        written = (f"{language}{n}({text}){first}" for n in range(settings.nbest))
        found.append(Translation(text, tuple(Candidate(one, 0.0, True) for one in written)))
    return found


def test_the_best_of_the_first_way_goes_the_second() -> None:
    told: list[int] = []
    found = by_way_of(
        "en", leg, ["a", "b"], DecodeSettings(nbest=2), into=["fr", "es"], first=7, on_progress=told.append
    )
    assert [one.source for one in found] == ["a", "b"]
    assert [one.via for one in found if isinstance(one, PivotTranslation)] == ["en0(a)7", "en0(b)7"]
    assert [[c.text for c in one.candidates] for one in found] == [
        ["fr0(en0(a)7)7", "fr1(en0(a)7)7"],
        ["es0(en0(b)7)7", "es1(en0(b)7)7"],
    ]
    assert told == [0, 1, 1, 2]


@pytest.mark.parametrize("into", ["en", ["fr", "en"]])
def test_a_way_through_its_own_end(into: Into) -> None:
    with pytest.raises(DecodingError, match="the way into en does not lead through en: leave --via out"):
        by_way_of("en", leg, ["a", "b"], DecodeSettings(), into=into, first=1, on_progress=lambda done: None)
