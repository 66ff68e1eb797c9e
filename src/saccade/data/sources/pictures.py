"""Pictures with classes: a specification in, a stream of examples out; no picture is opened."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from saccade.data.examples import Pictured
from saccade.data.sources.files import SourceFile, find_file
from saccade.data.sources.near import did_you_mean
from saccade.data.sources.picture_columns import LABELS, PictureColumns, PictureWanted, choose_picture
from saccade.data.sources.picture_folders import folder_pictures
from saccade.data.sources.picture_lines import LINE_READERS, PictureLine, line_reader
from saccade.data.sources.picture_parquet import class_names, parquet_layout
from saccade.data.sources.picture_places import refuse_missing, split_files
from saccade.data.sources.read import Split
from saccade.data.sources.spec import FileSpec, NamedSpec, SchemeSpec, parse_spec
from saccade.data.sources.stream import at_least_one
from saccade.data.sources.wanted import checked_text
from saccade.errors import DataError

KNOWN = (
    f"known: a folder with a subfolder for every class, a folder of train.parquet and so on, {', '.join(LINE_READERS)}"
)
CUSTOMARY = PictureColumns()
CLASSES = "classes.json"
UNKNOWN = -1  # how Hugging Face writes a class that nobody has said


class PicturedReader(Protocol):
    """What stands behind a scheme: ``scenes:shapes`` calls the reader of ``scenes`` with ``shapes``."""

    def __call__(self, rest: str, /, *, split: Split) -> Iterator[Pictured]: ...


NO_SCHEMES: Mapping[str, PicturedReader] = MappingProxyType({})


def read_pictured(
    spec: str,
    *,
    split: Split = "train",
    columns: PictureColumns = CUSTOMARY,
    base: Path | None = None,
    schemes: Mapping[str, PicturedReader] = NO_SCHEMES,
) -> Iterator[Pictured]:
    """Read the pictures with classes that ``spec`` names.

    ``spec`` is a folder with a subfolder for every class, perhaps inside ``train``, ``valid`` (or ``val``) and
    ``test``; a ``.parquet`` file with the pictures inside, or a folder of ``train.parquet`` and so on; a ``.csv``,
    ``.tsv`` or ``.jsonl`` file, each also with ``.gz`` after it, that names pictures by paths seen from its own folder;
    or ``name:rest`` with ``name`` in ``schemes``. Columns are named as in ``pets.csv:{photo,kind}`` or by ``columns``;
    without a name customary ones are looked for. Numbers of classes get their names from ``classes.json`` beside the
    file, or else from what Hugging Face wrote into a Parquet file. Only the split ``test`` may be without labels.
    ``split`` matters to folders and schemes: a file is one split already. Relative paths are seen from ``base``, by
    default the working directory.
    """
    folder = Path() if base is None else base
    match parse_spec(spec):
        case SchemeSpec(name, rest) if name in schemes:
            found = schemes[name](rest, split=split)
        case SchemeSpec(name):
            raise DataError(f'{spec}: unknown scheme "{name}"{did_you_mean(name, schemes)}; {KNOWN}')
        case FileSpec(path):
            found = _inside(path, folder, split, columns)
        case NamedSpec(FileSpec(path), picture, label):
            found = _inside(path, folder, split, PictureColumns(picture, label))
        case _:
            raise DataError(f"{spec}: pictures with classes come from one file or folder; {KNOWN}")
    return at_least_one(found, spec, "pictures")


def _inside(path: str, folder: Path, split: Split, columns: PictureColumns) -> Iterator[Pictured]:
    wanted = PictureWanted(columns, LABELS, needs_said=split != "test")
    if (folder / path).is_dir():
        if files := split_files(path, folder, split):
            return (example for file in files for example in _parquet(file, wanted))
        return folder_pictures(path, folder, split)
    reader = line_reader(path, folder, "pictures with classes", KNOWN)
    file = find_file(path, folder)
    if reader is LINE_READERS[".parquet"]:
        return _parquet(file, wanted)
    return _table(file, reader(file, wanted), wanted)


def _parquet(file: SourceFile, wanted: PictureWanted) -> Iterator[Pictured]:
    layout = parquet_layout(file)
    said = choose_picture(wanted, layout.names, file.shown).said
    names = _beside(file) or (None if said is None else class_names(layout, said))
    return _examples(file, LINE_READERS[".parquet"](file, wanted), names, wanted)


def _table(file: SourceFile, rows: Iterator[PictureLine], wanted: PictureWanted) -> Iterator[Pictured]:
    return _examples(file, rows, _beside(file), wanted)


def _examples(
    file: SourceFile, rows: Iterator[PictureLine], names: Sequence[str] | None, wanted: PictureWanted
) -> Iterator[Pictured]:
    """The rows as they come where the pictures are inside the file; files are looked for before the first is given."""
    waiting: list[Pictured] = []
    for row in rows:
        label = _label(row, names)
        if label is None and wanted.needs_said:
            raise DataError(f"{row.where}: the label is empty: expected a class; only a test set may be without")
        example = Pictured(row.picture, label, row.where)
        if row.picture.row is not None:
            yield example
        else:
            waiting.append(example)
    refuse_missing((example.picture for example in waiting), file.shown)
    yield from waiting


def _label(row: PictureLine, names: Sequence[str] | None) -> str | None:
    value = row.said
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        if value == UNKNOWN:
            return None
        if names is None:
            return str(value)
        if not 0 <= value < len(names):
            raise DataError(f"{row.where}: class {value}, but there are names for 0 to {len(names) - 1} only")
        return names[value]
    return None if value is None else checked_text(value, "label", row.where).strip() or None


def _beside(file: SourceFile) -> list[str] | None:
    """The names in ``classes.json``, a list, if there is such a file beside this one."""
    path = file.path.with_name(CLASSES)
    if not path.exists():
        return None
    shown = Path(file.shown).with_name(CLASSES)
    try:
        names = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise DataError(f"{shown}: cannot be read as JSON: {error}") from None
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise DataError(f'{shown}: expected a list of the names of the classes, as in ["cat", "dog"]')
    return names
