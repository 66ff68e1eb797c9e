"""Flickr8k (Hodosh et al. 2013): five captions each for 8,091 photographs, with the official splits.

Its folder holds ``Flickr8k.token.txt``, lines of ``name.jpg#0``, a tab and a caption; one list of names for each split;
and the pictures in a folder of their own. As they are unpacked, the texts may be in ``Flickr8k_text``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from saccade.data.examples import Captioned, PictureRef
from saccade.data.sources.files import SourceFile, find_file
from saccade.data.sources.lines import lines
from saccade.data.sources.picture_places import first_of, refuse_missing
from saccade.data.sources.read import Split
from saccade.errors import DataError

TOKENS = "Flickr8k.token.txt"
LISTS: Mapping[Split, str] = MappingProxyType(
    {
        "train": "Flickr_8k.trainImages.txt",
        "valid": "Flickr_8k.devImages.txt",
        "test": "Flickr_8k.testImages.txt",
    }
)
TEXT_FOLDERS = (".", "Flickr8k_text")
PICTURE_FOLDERS = ("images", "Images", "Flicker8k_Dataset", "Flickr8k_Dataset", "Flickr8k_Dataset/Flicker8k_Dataset")


@dataclass
class Told:
    """What is said of one picture, and where the first of it stands."""

    where: str
    captions: list[str]


def flickr8k(rest: str, base: Path, split: Split) -> Iterator[Captioned]:
    """The pictures of ``flickr8k:FOLDER`` in the order of the split's list."""
    shown = f"flickr8k:{rest}"
    if not rest or not (base / rest).is_dir():
        raise DataError(f"{shown}: expected flickr8k:FOLDER with the folder that holds {TOKENS}")
    tokens = _text(rest, base, TOKENS)
    names = [line.strip() for line in lines(_text(rest, base, LISTS[split])) if line.strip()]
    folder = _pictures(rest, base)
    told = _told(tokens)
    if without := [name for name in names if name not in told]:
        short = f"{len(without):,} of {len(names):,} pictures for {split} have no caption"
        raise DataError(f"{tokens.shown}: {short}: {first_of(without)}")
    refs = {name: PictureRef(base / folder / name, str(folder / name)) for name in names}
    refuse_missing(refs.values(), shown)
    return (Captioned(refs[name], tuple(told[name].captions), told[name].where) for name in names)


def _text(folder: str, base: Path, name: str) -> SourceFile:
    places = [Path(folder) / inner / name for inner in TEXT_FOLDERS]
    found = next((place for place in places if (base / place).exists()), places[0])
    return find_file(str(found), base)


def _pictures(folder: str, base: Path) -> Path:
    places = [Path(folder) / inner for inner in PICTURE_FOLDERS]
    for place in places:
        if (base / place).is_dir() and next((base / place).glob("*.jpg"), None) is not None:
            return place
    raise DataError(f"flickr8k:{folder}: no folder with pictures: looked for {', '.join(map(str, places))}")


def _told(file: SourceFile) -> dict[str, Told]:
    """The captions of every picture, in their order."""
    told: dict[str, Told] = {}
    for number, line in enumerate(lines(file), start=1):
        if not line.strip():
            continue
        mark, tab, caption = line.partition("\t")
        name, hash_, index = mark.rpartition("#")
        if not (tab and hash_ and index.isdecimal() and caption.strip()):
            raise DataError(f"{file.where(number)}: expected NAME.jpg#0, a tab and a caption, found: {line[:60]}")
        told.setdefault(name, Told(file.where(number), [])).captions.append(caption.strip())
    return told
