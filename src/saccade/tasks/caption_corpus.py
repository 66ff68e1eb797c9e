"""Captioned pictures made ready: read, tokenizer trained, captions encoded, pictures decoded or looked at; and opened.

As with other corpora everything lies in one folder and ``prepared.json`` is written last. ``train.captions`` holds the
tokens of every caption, ``train.pictures`` the number of its picture. Pictures are pixels in a store of this folder,
or, with a backbone, features in the cache of all runs; ``train.jsonl`` and ``valid.jsonl`` name them.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from saccade.data.encoded import Sequences, SequenceWriter
from saccade.data.images.store import Pictures, PictureWriter
from saccade.data.images.variation import VariationName
from saccade.data.sources import PictureColumns, Split
from saccade.data.tokenizers import Kind, Tokenizer, train_tokenizer
from saccade.errors import DataError
from saccade.files import write_text
from saccade.tasks.captioned import Told, told_pictures
from saccade.tasks.corpus import load_tokenizers, save_tokenizers
from saccade.tasks.features import Eye
from saccade.tasks.parting import Say, Sources, check_some_left, from_train, part
from saccade.tasks.preparing import check_unchanged, chunks, digest
from saccade.tasks.spool import Shown, ShownWriter, read_shown_spool
from saccade.tasks.translator import Tokenizers
from saccade.tasks.views import View, painted_over, ways_to_see
from saccade.tasks.vision import GridRows, PictureRows, PixelRows, Vision

CUSTOMARY = PictureColumns()
PLAIN = Vision()
LARGEST = 1 << 31  # number of a picture


@dataclass(frozen=True, kw_only=True)
class CaptionSettings(Sources):
    """Where the pictures come from, how they are read, and how captions are cut into tokens.

    ``hides`` are words whose boxes are painted over in a second view of every picture; ``augment`` is how training
    pictures are varied; ``guides`` keeps the boxes of all words, to show a captioner where to look.
    """

    columns: PictureColumns = CUSTOMARY
    regions: str | None = None
    vision: Vision = PLAIN
    kind: Kind = "words"
    size: int | None = None
    lowercase: bool = False
    hides: frozenset[str] = frozenset()
    augment: VariationName = "none"
    guides: bool = False


@dataclass(frozen=True)
class CaptionCorpus:
    """Training captions as memory-mapped tokens with the numbers of their pictures; validation captions as text.

    ``hidden`` are the training pictures without what is to be hidden; None where nothing is.
    """

    captions: Sequences
    picture_of: Sequences
    pictures: PictureRows
    hidden: PictureRows | None
    train: tuple[Shown, ...]
    valid: tuple[Shown, ...]
    valid_pictures: PictureRows
    tokenizers: Tokenizers

    @property
    def tokenizer(self) -> Tokenizer:
        return self.tokenizers.target


def prepare_captions(
    folder: Path, tokenizers: Path, settings: CaptionSettings, say: Say, *, given: Tokenizer | None = None
) -> None:
    """Makes the corpus in ``folder`` and ``tokenizer.json`` in ``tokenizers``, unless that was done.

    With a ``given`` tokenizer no new one is trained. Features are looked for every time: a cache may be emptied.
    """
    done = folder / "prepared.json"
    eye = settings.vision.eye()
    if done.exists():
        _check_weights(done, eye)
    else:
        folder.mkdir(exist_ok=True)
        partly = _spool(folder, settings, say)
        made = given or train_tokenizer(
            (text for one in read_shown_spool(folder / "train.jsonl") for text in one.captions),
            kind=settings.kind,
            size=settings.size,
            lowercase=settings.lowercase,
            part=partly,
        )
        say(f"tokenizer: {made.kind}, {made.vocab_size:,} tokens")
        save_tokenizers(tokenizers, Tokenizers(made, made))
        _encode(folder, made)
    if eye is not None:
        ways = ways_to_see(settings.augment)
        train = [replace(view, way=way) for view in _views(folder, "train") for way in ways]
        hidden = _views(folder, "train", hidden=True) if settings.hides else []
        eye.remember([*train, *_views(folder, "valid"), *hidden], say)
    if not done.exists():
        spools = {name: digest(folder / f"{name}.jsonl") for name in ("train", "valid")}
        read = {
            "vision": asdict(settings.vision),
            "hides": bool(settings.hides),
            "augment": settings.augment,
            "mark": eye.mark if eye else None,
        }
        write_text(done, json.dumps({**spools, **read}) + "\n")


def _check_weights(done: Path, eye: Eye | None) -> None:
    """Features of other weights are others: a training that goes on must not change over to them unsaid."""
    if eye is not None and json.loads(done.read_text(encoding="utf-8"))["mark"] != eye.mark:
        raise DataError(
            f"{eye.weights} is not the file of weights that this run began with: put that one back, or begin a new run"
        )


def open_caption_corpus(folder: Path, tokenizers: Path) -> CaptionCorpus:
    """A prepared corpus, after everything in it was found as it was written."""
    said = json.loads((folder / "prepared.json").read_text(encoding="utf-8"))
    for name in ("train", "valid"):
        check_unchanged(folder / f"{name}.jsonl", said[name])
    captions, picture_of = (Sequences.open(folder / f"train.{name}") for name in ("captions", "pictures"))
    for one in (captions, picture_of):
        one.verify()
    if "augment" not in said:  # before there was one, a backbone's own size was written as 64 pixels
        raise DataError(f"{folder} was made by an older version of Saccade")
    eye = Vision(**said["vision"]).eye()
    return CaptionCorpus(
        captions,
        picture_of,
        _rows(folder, "train", eye, augment=said["augment"]),
        _rows(folder, "train", eye, hidden=True) if said["hides"] else None,
        tuple(read_shown_spool(folder / "train.jsonl")),
        tuple(read_shown_spool(folder / "valid.jsonl")),
        _rows(folder, "valid", eye),
        load_tokenizers(tokenizers),
    )


def _rows(
    folder: Path, name: str, eye: Eye | None, *, hidden: bool = False, augment: VariationName = "none"
) -> PictureRows:
    if eye is not None:
        return GridRows(eye, _views(folder, name, hidden=hidden), augment)
    store = Pictures.open(folder / (f"{name}.hidden" if hidden else name))
    store.verify()
    return PixelRows(store, augment)


def _views(folder: Path, name: str, *, hidden: bool = False) -> list[View]:
    """Every picture of a spool; what is to be hidden in it is seen or not."""
    return [
        View(one.picture, one.hidden if hidden else ())
        for one in read_shown_spool(folder / f"{name}.jsonl")
        if one.picture is not None
    ]


def _spool(folder: Path, settings: CaptionSettings, say: Say) -> bool:
    """Names the pictures to train on and those to validate on, of their own source or some held out; keeps pixels.

    Says whether that was a part of them only.
    """

    def pictures(spec: str, split: Split) -> Iterator[Told]:
        return told_pictures(spec, split=split, columns=settings.columns, regions=settings.regions)

    with _Kept(folder, "train", settings) as train, _Kept(folder, "valid", settings) as valid:
        partly = part(settings, pictures, Told.mark, train=train, valid=valid, name="picture", say=say)
    say(f"train: {train.count:,} pictures with {train.captions:,} captions")
    say(f"valid: {valid.count:,} pictures with {valid.captions:,} captions{from_train(settings)}")
    check_some_left(train.count, valid.count, settings, "picture")
    if settings.hides and not train.hiding:
        raise DataError(
            f"no training picture has a box for {_some(settings.hides)}: there is nothing to hide; name a file of "
            "Flickr30k Entities in data.regions"
        )
    if settings.hides:
        say(f"train: {train.hiding:,} pictures have boxes of {_some(settings.hides)}, seen also without them")
    if settings.guides and not train.guiding:
        raise DataError(
            "no training picture has a box of what its words speak of: there is nothing to guide attention by; name a "
            "file of Flickr30k Entities in data.regions, or leave train.guide out"
        )
    return partly


def _some(words: frozenset[str]) -> str:
    first = sorted(words)[:3]
    return ", ".join(first) + (" and others" if len(words) > len(first) else "")


class _Kept:
    """Writes the names and captions of pictures, and their pixels where these are what is read."""

    def __init__(self, folder: Path, name: str, settings: CaptionSettings) -> None:
        self._settings = settings
        self._stack = ExitStack()
        self._spool = ShownWriter(folder / f"{name}.jsonl")
        pixels = settings.vision.backbone is None
        size = settings.vision.size
        self._plain = PictureWriter(folder / name, size=size) if pixels else None
        hidden = pixels and settings.hides and name == "train"
        self._hidden = PictureWriter(folder / f"{name}.hidden", size=size) if hidden else None
        self._guides = settings.guides and name == "train"
        self.count = self.captions = self.hiding = self.guiding = 0

    def __enter__(self) -> Self:
        for one in (self._spool, self._plain, self._hidden):
            if one is not None:
                self._stack.enter_context(one)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def add(self, one: Told, /) -> None:
        hidden = tuple(dict.fromkeys(box for word in sorted(self._settings.hides) for box in one.boxes.get(word, ())))
        ref = one.file() if self._plain is None else None
        if self._plain is not None:
            pixels = one.pixels(self._settings.vision.size, self._settings.vision.fit)
            self._plain.append(pixels)
            if self._hidden is not None:
                self._hidden.append(painted_over(pixels, hidden))
        boxes = one.boxes if self._guides else {}
        self._spool.add(Shown(one.name, one.captions, ref, hidden, boxes))
        self.count += 1
        self.guiding += bool(boxes)
        self.captions += len(one.captions)
        self.hiding += bool(hidden)


def _encode(folder: Path, tokenizer: Tokenizer) -> None:
    shown = read_shown_spool(folder / "train.jsonl")
    numbered = ((number, text) for number, one in enumerate(shown) for text in one.captions)
    with (
        SequenceWriter(folder / "train.captions", tokenizer.vocab_size) as captions,
        SequenceWriter(folder / "train.pictures", LARGEST) as pictures,
    ):
        for chunk in chunks(numbered):
            captions.extend(tokenizer.encode_batch([text for _, text in chunk]))
            pictures.extend([[number] for number, _ in chunk])
