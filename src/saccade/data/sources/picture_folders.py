"""Folders of pictures: a subfolder for every class, perhaps inside a folder for every split."""

import os
from collections.abc import Iterator
from pathlib import Path

from saccade.data.examples import Pictured, PictureRef
from saccade.data.sources.picture_places import SPLIT_NAMES
from saccade.data.sources.read import Split
from saccade.errors import DataError

ENDINGS = frozenset((".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".ppm"))
HOW = "expected a subfolder for every class, as in pets/cat/1.jpg or pets/train/cat/1.jpg"


def folder_pictures(shown: str, base: Path, split: Split) -> Iterator[Pictured]:
    """The pictures of a folder, class after class, names in the order of the alphabet.

    It is divided into splits if one of its folders is named like a split and has folders in it; else its folders are
    the classes. A class may have folders of its own. What is hidden or is no picture by its name is left out.
    """
    root = base / shown
    split_folders = {name: root / name for names in SPLIT_NAMES.values() for name in names if (root / name).is_dir()}
    if any(_folders(inner) for inner in split_folders.values()):
        found = next((split_folders[name] for name in SPLIT_NAMES[split] if name in split_folders), None)
        if found is None:
            wanted = " or ".join(SPLIT_NAMES[split])
            raise DataError(
                f"{shown}: no folder for {split}: looked for {wanted} (there are: {', '.join(split_folders)})"
            )
        root, shown = found, str(Path(shown) / found.name)
    classes = _folders(root)
    if classes:
        return (one for folder in classes for one in _of_class(folder, str(Path(shown) / folder.name)))
    if split == "test":
        return _pictures(root, shown, None)
    raise DataError(f"{shown}: no folders in it: {HOW}; only a test set may be without classes")


def _of_class(folder: Path, shown: str) -> Iterator[Pictured]:
    found = False
    for example in _pictures(folder, shown, folder.name):
        found = True
        yield example
    if not found:
        raise DataError(f"{shown}: no picture of this class: put some there or delete the folder; {HOW}")


def _pictures(folder: Path, shown: str, label: str | None) -> Iterator[Pictured]:
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        within = Path(shown) / Path(place).relative_to(folder)
        for name in sorted(names):
            if Path(name).suffix.lower() in ENDINGS and not name.startswith("."):
                where = str(within / name)
                yield Pictured(PictureRef(Path(place) / name, where), label, where)


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
