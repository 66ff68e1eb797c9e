"""Pictures with captions: a specification in, a stream of examples out; no picture is decoded."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from saccade.data.examples import Captioned, PictureRef
from saccade.data.images.opening import picture_digest
from saccade.data.sources.coco import coco
from saccade.data.sources.files import SourceFile, find_file
from saccade.data.sources.flickr8k import flickr8k
from saccade.data.sources.near import did_you_mean
from saccade.data.sources.picture_columns import CAPTIONS, PictureColumns, PictureWanted
from saccade.data.sources.picture_lines import LINE_READERS, PictureLine, line_reader
from saccade.data.sources.picture_places import refuse_missing, split_files
from saccade.data.sources.read import Split
from saccade.data.sources.spec import FileSpec, NamedSpec, SchemeSpec, parse_spec
from saccade.data.sources.stream import at_least_one
from saccade.data.sources.wanted import checked_text
from saccade.errors import DataError

KNOWN = (
    f"known: {', '.join(LINE_READERS)}, a folder of train.parquet, valid.parquet and test.parquet, flickr8k:FOLDER and "
    "coco:ANNOTATIONS.json:FOLDER"
)
CUSTOMARY = PictureColumns()


class CaptionedReader(Protocol):
    """What stands behind a scheme: ``scenes:captions`` calls the reader of ``scenes`` with ``captions``."""

    def __call__(self, rest: str, /, *, split: Split) -> Iterator[Captioned]: ...


NO_SCHEMES: Mapping[str, CaptionedReader] = MappingProxyType({})


@dataclass
class Together:
    """The captions that were found for one picture, and where the first of them stands."""

    picture: PictureRef
    captions: list[str]
    where: str


def read_captioned(
    spec: str,
    *,
    split: Split = "train",
    columns: PictureColumns = CUSTOMARY,
    base: Path | None = None,
    schemes: Mapping[str, CaptionedReader] = NO_SCHEMES,
) -> Iterator[Captioned]:
    """Read the captioned pictures that ``spec`` names.

    ``spec`` is a ``.csv``, ``.tsv`` or ``.jsonl`` file, each also with ``.gz`` after it, that names pictures by paths
    seen from its own folder; a ``.parquet`` file with the pictures inside; a folder of ``train.parquet``,
    ``valid.parquet`` and ``test.parquet``; ``flickr8k:FOLDER``; ``coco:ANNOTATIONS.json:FOLDER``; or ``name:rest`` with
    ``name`` in ``schemes``. Columns are named as in ``pets.csv:{photo,words}`` or by ``columns``; without a name
    customary ones are looked for. Rows that name one file are put together, as are those of a Parquet file that hold
    the same bytes, and so is a list of captions. ``split`` matters to folders, Flickr8k and schemes: a file is one
    split already. Relative paths are seen from ``base``, by default the working directory.
    """
    folder = Path() if base is None else base
    match parse_spec(spec):
        case SchemeSpec(name, rest) if name in schemes:
            found = schemes[name](rest, split=split)
        case SchemeSpec("flickr8k", rest):
            found = flickr8k(rest, folder, split)
        case SchemeSpec("coco", rest):
            found = coco(rest, folder)
        case SchemeSpec(name):
            near = did_you_mean(name, ["flickr8k", "coco", *schemes])
            raise DataError(f'{spec}: unknown scheme "{name}"{near}; {KNOWN}')
        case FileSpec(path):
            found = _files(path, folder, split, columns)
        case NamedSpec(FileSpec(path), picture, caption):
            found = _files(path, folder, split, PictureColumns(picture, caption))
        case _:
            raise DataError(f"{spec}: captioned pictures come from one file or folder; {KNOWN}")
    return at_least_one(found, spec, "captioned pictures")


def _files(path: str, folder: Path, split: Split, columns: PictureColumns) -> Iterator[Captioned]:
    wanted = PictureWanted(columns, CAPTIONS)
    if (folder / path).is_dir() and (files := split_files(path, folder, split)):
        return (example for file in files for example in _together(file, LINE_READERS[".parquet"](file, wanted)))
    reader = line_reader(path, folder, "captioned pictures", KNOWN)
    file = find_file(path, folder)
    return _together(file, reader(file, wanted))


def _together(file: SourceFile, rows: Iterator[PictureLine]) -> Iterator[Captioned]:
    """One example for each picture: rows of one file, or of the same bytes inside a Parquet file, say of it together.

    A row of Parquet with a list of captions has them all, so those need not wait.
    """
    together: dict[Path | str, Together] = {}
    for row in rows:
        captions = _captions(row)
        inside = row.picture.row is not None
        if inside and isinstance(row.said, list):
            yield Captioned(row.picture, tuple(captions), row.where)
        else:
            key = picture_digest(row.picture) if inside else row.picture.path
            one = together.setdefault(key, Together(row.picture, [], row.where))
            one.captions.extend(captions)
    refuse_missing((one.picture for one in together.values()), file.shown)
    for one in together.values():
        yield Captioned(one.picture, tuple(one.captions), one.where)


def _captions(row: PictureLine) -> list[str]:
    values = row.said if isinstance(row.said, list) else [row.said]
    captions = [checked_text(value, "caption", row.where).strip() for value in values]
    if not captions or not all(captions):
        raise DataError(f"{row.where}: the caption is empty: expected a text; mend or delete the line")
    return captions
