"""Pictures and what is said of them, from any source, with the boxes of what words speak of where these are known."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from saccade import scenes
from saccade.data.examples import Box, PictureRef
from saccade.data.images.opening import picture_digest
from saccade.data.images.reading import Fit, Pixels, read_picture
from saccade.data.sources import PictureColumns, Split, read_captioned, read_regions
from saccade.data.sources.spec import SchemeSpec, parse_spec
from saccade.errors import DataError

SCENES = "scenes"
NOTHING: Mapping[str, tuple[Box, ...]] = MappingProxyType({})
CUSTOMARY = PictureColumns()
# Words of a phrase that do not speak of what it shows.
ARTICLES = ("a", "an", "the", "this", "that", "these", "those", "some", "another", "other")
POINTLESS = frozenset((*ARTICLES, "his", "her", "its", "their", "of", "in", "on", "with", "and"))


@dataclass(frozen=True)
class Told:
    """A picture and what people say of it; ``boxes`` are, for each word, those of all that it may speak of."""

    name: str
    captions: tuple[str, ...]
    picture: PictureRef | scenes.Captioned = field(repr=False)
    boxes: Mapping[str, tuple[Box, ...]] = field(default_factory=lambda: NOTHING, repr=False)

    def pixels(self, size: int, fit: Fit) -> Pixels:
        """As a square of so many pixels; scenes are drawn in that size."""
        if isinstance(self.picture, scenes.Captioned):
            drawn: Pixels = replace(self.picture, pixels=size).picture().pixels_HWC
            return drawn
        return read_picture(self.picture, size=size, fit=fit)

    def file(self) -> PictureRef:
        """Where its bytes are; scenes have no file."""
        if isinstance(self.picture, scenes.Captioned):
            raise DataError(
                f"{self.name}: data.backbone reads photographs from files, not scenes: leave it out, and the captioner "
                "learns a CNN of its own"
            )
        return self.picture

    def mark(self) -> str:
        """The same for the same picture, whatever its name: what decides on which side of a corpus it stands."""
        return self.name if isinstance(self.picture, scenes.Captioned) else picture_digest(self.picture)

    def is_right(self, text: str) -> bool | None:
        """Whether the text is exactly right; None where nobody can say."""
        return self.picture.is_right(text) if isinstance(self.picture, scenes.Captioned) else None


def told_pictures(
    spec: str, *, split: Split, columns: PictureColumns = CUSTOMARY, regions: str | None = None
) -> Iterator[Told]:
    """The pictures that ``spec`` names. ``regions`` is a file of Flickr30k Entities; scenes know their own."""
    match parse_spec(spec):
        case SchemeSpec(name, rest) if name == SCENES:
            for drawn in scenes.read_captioned(rest, split=split):
                yield Told(drawn.where, tuple(one.text for one in drawn.captions), drawn, _drawn_boxes(drawn))
        case _:
            known = {} if regions is None else word_boxes(regions)
            for one in read_captioned(spec, split=split, columns=columns):
                found = known.get(one.picture.path.name, NOTHING)
                yield Told(one.picture.name, one.captions, one.picture, found)


def picture_file(path: str) -> Told:
    """A picture that nobody has said anything of."""
    place = Path(path)
    if not place.is_file():
        raise DataError(f"{path}: there is no such picture")
    return Told(path, (), PictureRef(place, path))


@lru_cache(maxsize=2)
def word_boxes(path: str) -> Mapping[str, Mapping[str, tuple[Box, ...]]]:
    """For each picture's file and each word, lower-cased, the boxes of the phrases that it stands in."""
    found: dict[str, dict[str, list[Box]]] = {}
    for caption in read_regions(path):
        of_picture = found.setdefault(caption.file, {})
        for region in caption.regions:
            for word in region.phrase.lower().split():
                if word.isalpha() and word not in POINTLESS:
                    _add(of_picture.setdefault(word, []), region.box)
    return MappingProxyType({file: _frozen(words) for file, words in found.items()})


def _drawn_boxes(drawn: scenes.Captioned) -> Mapping[str, tuple[Box, ...]]:
    found: dict[str, list[Box]] = {}
    for caption in drawn.captions:
        for word, boxes in zip(caption.words, caption.regions, strict=True):
            for box in boxes:
                _add(found.setdefault(word.lower(), []), Box(box.left, box.top, box.right, box.bottom))
    return _frozen(found)


def _add(boxes: list[Box], box: Box) -> None:
    if box not in boxes:
        boxes.append(box)


def _frozen(words: Mapping[str, list[Box]]) -> Mapping[str, tuple[Box, ...]]:
    return MappingProxyType({word: tuple(boxes) for word, boxes in words.items() if boxes})
