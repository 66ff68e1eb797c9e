"""Pictures with their captions: ``scenes:captions`` and, for the study of bias, ``scenes:people``."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Protocol

from saccade.errors import DataError
from saccade.scenes.captions import Caption, caption, is_right, statements
from saccade.scenes.closeups import ABOUT, About, sample_closeup
from saccade.scenes.descriptions import PATIENCE, Marked, Split, distinct, hash_of, split_by
from saccade.scenes.drawing import LEAST_PIXELS, Picture, draw
from saccade.scenes.pairs import LANGUAGES
from saccade.scenes.people import BROKEN, CUES, HEIGHT, HEIGHTS, TRAINING, Odds, Study, encounters
from saccade.scenes.plan import meaning
from saccade.scenes.spec import OPTIONS, Draw, Query, decide
from saccade.scenes.world import Scene

PIXELS = 64
KNOWN = {
    "captions": (*OPTIONS, "pixels", "language", "about"),
    "people": (*OPTIONS, "pixels", "language", "correlation", "share", "cue", "height"),
}
"""The options of each source."""


@dataclass(frozen=True, slots=True)
class Captioned:
    """A scene and all that a caption may say of it; ``where`` is its place (``scenes:captions train 17``).

    The picture is drawn when it is asked for, the same every time, so that many of these take little memory.
    """

    scene: Scene
    captions: tuple[Caption, ...]
    pixels: int
    seed: int
    language: str = "en"
    where: str = ""
    study: Study | None = None

    def picture(self) -> Picture:
        return draw(self.scene, self.pixels, self.seed)

    def is_right(self, text: str) -> bool:
        """Whether this caption is exactly right for the picture."""
        return is_right(self.scene, text, self.language)


class _Drawn(Marked, Protocol):
    """What both sources draw."""

    @property
    def scene(self) -> Scene: ...

    @property
    def study(self) -> Study | None: ...


@dataclass(frozen=True, slots=True)
class _Closeup:
    """A scene for a picture; ``fingerprint`` is a stable hash of what captions say of it."""

    scene: Scene
    fingerprint: int
    study: Study | None = None


@dataclass(frozen=True, slots=True)
class _Looks:
    """How pictures are drawn and described."""

    pixels: int
    language: str


def read_captioned(spec: str, split: str = "train", size: int | None = None, seed: int = 0) -> Iterator[Captioned]:
    """The captioned pictures of one split.

    ``read_captioned("captions?size=5000&pixels=96&about=shapes")``: close-ups and all that is said of them. No caption
    is right in two splits, whatever the sizes and seeds, and no two scenes of a split have the same captions.

    ``read_captioned("people?correlation=0.8&share=0.2&cue=clothes")``: women and men with things of home and street.
    Unless told otherwise, 80 % of the things go with the group in training and 50 % elsewhere. No scene is in two
    splits, but the captions are, since there are few.

    Options in the spec go before the arguments. What is wrong with the request is said at once.
    """
    name, _, _ = spec.partition("?")
    if name not in KNOWN:
        raise DataError(f"scenes:{spec}: unknown pictures {name!r}; known are scenes:captions and scenes:people")
    query = Query(spec, KNOWN[name])
    looks, wanted = _looks(query), decide(spec, query.options(), split=split, size=size, seed=seed)
    rng = Random(f"{name} {wanted.split} {wanted.seed}")
    if name == "captions":
        return _captioned(name, looks, wanted, _closeups(wanted.split, query.one_of("about", ABOUT), rng))
    return _captioned(name, looks, wanted, encounters(wanted.split, _odds(query, wanted.split), rng))


def _looks(query: Query) -> _Looks:
    pixels = query.whole("pixels")
    if pixels is None:
        pixels = PIXELS
    if pixels < LEAST_PIXELS:
        raise DataError(f"scenes:{query.spec}: pixels is {pixels}; it must be {LEAST_PIXELS} or more")
    return _Looks(pixels, query.one_of("language", LANGUAGES))


def _odds(query: Query, split: Split) -> Odds:
    correlation, share, height = query.share("correlation"), query.share("share"), query.share("height")
    if correlation is None:
        correlation = TRAINING if split == "train" else BROKEN
    if height is not None and not HEIGHTS[0] <= height <= HEIGHTS[1]:
        raise DataError(f"scenes:{query.spec}: height is {height}; it must be from {HEIGHTS[0]} to {HEIGHTS[1]}")
    return Odds(
        correlation,
        share=0.5 if share is None else share,
        cue=query.one_of("cue", CUES),
        height=HEIGHT if height is None else height,
    )


def _captioned(name: str, looks: _Looks, wanted: Draw, draws: Iterator[_Drawn]) -> Iterator[Captioned]:
    for number, drawn in enumerate(distinct(draws, wanted.size, patience=PATIENCE), start=1):
        yield Captioned(
            drawn.scene,
            tuple(caption(drawn.scene, statement, looks.language) for statement in statements(drawn.scene)),
            looks.pixels,
            hash_of(f"{wanted.seed} {drawn.fingerprint}"),
            looks.language,
            f"scenes:{name} {wanted.split} {number}",
            drawn.study,
        )


def _closeups(split: Split, about: About, rng: Random) -> Iterator[_Closeup]:
    while True:
        scene = sample_closeup(rng, about)
        fingerprint = hash_of(" ".join(sorted(map(meaning, statements(scene)))))
        if split_by(fingerprint) == split:
            yield _Closeup(scene, fingerprint)
