"""Where the pictures of a split are: its folder or its Parquet files inside a folder; and those that are not there."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from saccade.data.examples import PictureRef
from saccade.data.sources.files import SourceFile, find_file
from saccade.data.sources.read import Split
from saccade.errors import DataError

SPLIT_NAMES: Mapping[Split, tuple[str, ...]] = MappingProxyType(
    {"train": ("train",), "valid": ("valid", "val", "validation", "dev"), "test": ("test",)}
)
SHOWN = 3  # pictures in a message


def split_files(shown: str, base: Path, split: Split) -> list[SourceFile]:
    """The Parquet files of a split in the folder ``shown``, in their order; none if there are none for any split.

    They are named ``train.parquet`` or, in parts, ``train-00000-of-00002.parquet``.
    """
    found = {
        one: sorted(path.name for path in (base / shown).glob("*.parquet") if path.stem.split("-")[0] in names)
        for one, names in SPLIT_NAMES.items()
    }
    if any(found.values()) and not found[split]:
        there = ", ".join(name for names in found.values() for name in names)
        wanted = " or ".join(f"{name}.parquet" for name in SPLIT_NAMES[split])
        raise DataError(f"{shown}: no file for {split}: looked for {wanted} (there are: {there})")
    return [find_file(str(Path(shown) / name), base) for name in found[split]]


def refuse_missing(pictures: Iterable[PictureRef], shown: str) -> None:
    """An error that names the first pictures whose files are not there, and counts them all."""
    count = 0
    missing: list[str] = []
    for picture in pictures:
        count += 1
        if not picture.path.is_file():
            missing.append(picture.name)
    if missing:
        raise DataError(f"{shown}: {len(missing):,} of {count:,} pictures are not there: {first_of(missing)}")


def first_of(names: list[str]) -> str:
    """``a, b, c and 7 more``."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
