"""Pictures with classes made ready: listed, labels found, decoded once into a store, and opened again.

As with other corpora everything lies in one folder and ``prepared.json`` is written last. ``train.pixels`` holds the
pictures to learn from, ``train.jsonl`` the name and the label of each; ``valid`` likewise.
"""

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from saccade.data.batches import Rows
from saccade.data.cleaning import are_bytes_held_out
from saccade.data.examples import Pictured
from saccade.data.images.opening import opened_picture
from saccade.data.images.reading import Fit, Pixels, decode_picture
from saccade.data.images.store import Pictures, PictureWriter
from saccade.data.images.tensors import measured_channels
from saccade.data.sources import PictureColumns, found_labels, read_pictured
from saccade.files import write_text
from saccade.tasks.parting import Say, Sources, check_some_left, from_train
from saccade.tasks.preparing import PartOnly, check_unchanged, chunks, digest, told
from saccade.tasks.sight import Sight

AHEAD = 64  # pictures that are decoded at once, by as many threads as there are cores
CUSTOMARY = PictureColumns()
SIDES = ("train", "valid")


@dataclass(frozen=True, kw_only=True)
class PictureSettings(Sources):
    """Where the pictures come from, and the squares that they become; ``first`` are from everywhere in the sources."""

    pixels: int
    columns: PictureColumns = CUSTOMARY
    fit: Fit = "crop"


@dataclass(frozen=True)
class LabelledPictures:
    """Decoded pictures, the number of each one's label, and its name."""

    pictures: Pictures
    labels_N: Rows
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class PictureCorpus:
    """Pictures to learn from, pictures to validate on, and how they are seen."""

    train: LabelledPictures
    valid: LabelledPictures
    sight: Sight


def prepare_pictures(
    folder: Path, beside: Path, settings: PictureSettings, say: Say, *, given: Sight | None = None
) -> None:
    """Makes the corpus in ``folder``, and in ``beside`` how pictures are seen, unless that was done.

    Colours are scaled by mean and deviation of the training pictures, or as with the ``given`` sight.
    """
    done = folder / "prepared.json"
    if done.exists():
        return
    folder.mkdir(exist_ok=True)
    train = [one for spec in settings.train for one in read_pictured(spec, split="train", columns=settings.columns)]
    valid = [one for spec in settings.valid for one in read_pictured(spec, split="valid", columns=settings.columns)]
    labels = found_labels(train, ", ".join(settings.train))
    for example in valid:
        labels.number(example.label, example.where)  # an unknown label is told before anything is decoded
    say(f"labels: {labels.shown}")
    if settings.first is not None and settings.first < len(train):
        say(PartOnly(f"train: only {settings.first:,} of {len(train):,} pictures are looked at"))
        train = [train[number * len(train) // settings.first] for number in range(settings.first)]
    with _side(folder / "train", settings) as kept, _side(folder / "valid", settings) as held:
        for one in told(_decoded(train, settings), "train: decoded", "pictures", say):
            (held if one.held_out else kept).add(one)
        for one in told(_decoded(valid, settings), "valid: decoded", "pictures", say):
            held.add(one)
        check_some_left(kept.count, held.count, settings, "picture")
    say(f"train: {kept.count:,} pictures of {settings.pixels} × {settings.pixels} pixels")
    say(f"valid: {held.count:,} pictures{from_train(settings)}")
    if given is None:
        store = Pictures.open(folder / "train")
        channels = measured_channels(store[number] for number in range(len(store)))
    else:
        channels = given.channels
    Sight(settings.pixels, settings.fit, channels, labels.names).save(beside)
    said = {"pictures": kept.count, **{side: digest(folder / f"{side}.jsonl") for side in SIDES}}
    write_text(done, json.dumps(said) + "\n")


def open_picture_corpus(folder: Path, beside: Path) -> PictureCorpus:
    """A prepared corpus, after everything in it was found as it was written."""
    said = json.loads((folder / "prepared.json").read_text(encoding="utf-8"))
    sight = Sight.load(beside)
    train, valid = (_opened(folder / side, said[side], sight) for side in SIDES)
    return PictureCorpus(train, valid, sight)


def _opened(stem: Path, said: str, sight: Sight) -> LabelledPictures:
    listing = stem.with_suffix(".jsonl")
    check_unchanged(listing, said)
    pictures = Pictures.open(stem)
    pictures.verify()
    numbers = {name: number for number, name in enumerate(sight.labels)}
    with listing.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    labels_N = np.array([numbers[row["label"]] for row in rows], dtype=np.int64)
    return LabelledPictures(pictures, labels_N, tuple(row["name"] for row in rows))


@dataclass(frozen=True)
class _Decoded:
    example: Pictured
    pixels_SS3: Pixels
    held_out: bool


class _Side:
    """Adds pictures to the store of one side, and remembers the lines of the list that goes with it."""

    def __init__(self, store: PictureWriter) -> None:
        self.lines: list[str] = []
        self._store = store

    @property
    def count(self) -> int:
        return len(self.lines)

    def add(self, one: _Decoded) -> None:
        self._store.append(one.pixels_SS3)
        said = {"name": one.example.picture.name, "label": one.example.label}
        self.lines.append(json.dumps(said, ensure_ascii=False))


@contextmanager
def _side(stem: Path, settings: PictureSettings) -> Iterator[_Side]:
    """The files appear when the block ends well."""
    with PictureWriter(stem, size=settings.pixels) as store:
        side = _Side(store)
        yield side
    write_text(stem.with_suffix(".jsonl"), "".join(f"{line}\n" for line in side.lines))


def _decoded(examples: Sequence[Pictured], settings: PictureSettings) -> Iterator[_Decoded]:
    """In their order; Pillow decodes beside other threads."""

    def decoded(example: Pictured) -> _Decoded:
        with opened_picture(example.picture) as stream:
            data = stream.read()
        pixels_SS3 = decode_picture(BytesIO(data), example.picture.name, size=settings.pixels, fit=settings.fit)
        held_out = not settings.valid and are_bytes_held_out(data, settings.holdout)
        return _Decoded(example, pixels_SS3, held_out)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for chunk in chunks(iter(examples), AHEAD):
            yield from pool.map(decoded, chunk)
