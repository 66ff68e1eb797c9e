"""COCO's captions (Chen et al. 2015): one JSON file of pictures and annotations, and a folder of pictures."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from saccade.data.examples import Captioned, PictureRef
from saccade.data.sources.files import SourceFile, find_file, opened
from saccade.data.sources.picture_places import first_of, refuse_missing
from saccade.data.sources.wanted import checked_text
from saccade.errors import DataError

HOW = "expected coco:ANNOTATIONS.json:FOLDER, as in coco:annotations/captions_val2017.json:val2017"


def coco(rest: str, base: Path) -> Iterator[Captioned]:
    """The pictures of ``coco:ANNOTATIONS.json:FOLDER`` in the file's order; a file is one split already."""
    shown = f"coco:{rest}"
    parts = re.fullmatch(r"(.+?\.json(?:\.gz)?):(.+)", rest, re.DOTALL)
    if parts is None:
        raise DataError(f"{shown}: {HOW}")
    file, folder = find_file(parts[1], base), parts[2]
    if not (base / folder).is_dir():
        raise DataError(f"{shown}: there is no folder {folder}; {HOW}")
    document = _document(file)
    names = _names(document, file)
    captions = _captions(document, names, file)
    if without := [names[number] for number in names if not captions[number]]:
        raise DataError(
            f"{file.shown}: {len(without):,} of {len(names):,} pictures have no caption: {first_of(without)}"
        )
    refs = {number: PictureRef(base / folder / name, str(Path(folder) / name)) for number, name in names.items()}
    refuse_missing(refs.values(), shown)
    return (Captioned(refs[number], tuple(captions[number]), f"{file.shown}:image {number}") for number in names)


def _document(file: SourceFile) -> Mapping[str, Any]:
    with opened(file) as stream:
        raw = stream.read()
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file.shown}: broken JSON: {error}") from None
    if not isinstance(document, dict) or not all(
        isinstance(document.get(name), list) for name in ("images", "annotations")
    ):
        raise DataError(f'{file.shown}: expected an object with the lists "images" and "annotations", as COCO has them')
    return document


def _names(document: Mapping[str, Any], file: SourceFile) -> dict[int, str]:
    names: dict[int, str] = {}
    for place, image in enumerate(document["images"]):
        where = f"{file.shown}:images[{place}]"
        number = _number(image, "id", where)
        if number in names:
            raise DataError(f"{where}: the id {number} is there twice")
        names[number] = checked_text(image.get("file_name"), "file_name", where)
    return names


def _captions(document: Mapping[str, Any], names: Mapping[int, str], file: SourceFile) -> dict[int, list[str]]:
    captions: dict[int, list[str]] = {number: [] for number in names}
    for place, annotation in enumerate(document["annotations"]):
        where = f"{file.shown}:annotations[{place}]"
        number = _number(annotation, "image_id", where)
        if number not in captions:
            raise DataError(f'{where}: there is no picture with the id {number} in "images"')
        if "caption" not in annotation:
            raise DataError(f"{where}: has no caption: is it COCO's file of captions, captions_….json?")
        caption = checked_text(annotation["caption"], "caption", where).strip()
        if not caption:
            raise DataError(f'{where}: "caption" is empty: expected a text; mend or delete the annotation')
        captions[number].append(caption)
    return captions


def _number(entry: object, name: str, where: str) -> int:
    value = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(value, int):
        raise DataError(f'{where}: expected an object with the number "{name}"')
    return value
