"""Which phrase of a caption speaks of which part of the picture: the boxes of Flickr30k Entities (Plummer et al. 2015).

One JSON object for each picture: ``width`` and ``height`` of the original, the file's name, ``sentences`` with their
``text`` and ``phrases`` (from which character to which, and of which ``chain`` of phrases about the same thing), and
``boxes`` for each chain: first and last column and row of pixels, counted from 1. Shares of width and height hold for
the picture at any size, also where it was squashed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from saccade.data.examples import Box, Grounded, Region, WordSpan
from saccade.data.sources.files import SourceFile, find_file
from saccade.data.sources.jsonl import json_object
from saccade.data.sources.lines import lines
from saccade.data.sources.stream import at_least_one
from saccade.errors import DataError

FILE_KEYS = ("flickr8k_file", "file")


def read_regions(path: str, *, base: Path | None = None) -> Iterator[Grounded]:
    """The captions of the pictures in a ``.jsonl`` file, also with ``.gz`` after it, each with its regions.

    A phrase whose thing has several boxes has a region for each; a phrase without a box has none.
    """
    file = find_file(path, Path() if base is None else base)
    return at_least_one(_grounded(file), path, "captions with regions")


def _grounded(file: SourceFile) -> Iterator[Grounded]:
    for number, line in enumerate(lines(file), start=1):
        if not line.strip():
            continue
        where = file.where(number)
        record = json_object(line, where)
        try:
            yield from _captions(record, where)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"{where}: not as Flickr30k Entities are written here ({type(error).__name__}: {error}): expected "
                "width, height, sentences with text and phrases, boxes, and the name of the picture's file"
            ) from None


def _captions(record: dict[str, Any], where: str) -> Iterator[Grounded]:
    name = next((record[key] for key in FILE_KEYS if key in record), None)
    if not isinstance(name, str):
        raise KeyError(" or ".join(FILE_KEYS))
    boxes = {
        chain: [_box(corners, record["width"], record["height"], where) for corners in every]
        for chain, every in record["boxes"].items()
    }
    for sentence in record["sentences"]:
        text = sentence["text"]
        regions = [
            Region(text[phrase["start"] : phrase["end"]], box, _words(text, phrase["start"], phrase["end"], where))
            for phrase in sentence["phrases"]
            for box in boxes.get(phrase["chain"], ())
        ]
        yield Grounded(name, text, tuple(regions), where)


def _box(corners: list[int], width: int, height: int, where: str) -> Box:
    """Pixels from ``left`` to ``right``, both counted, reach from the edge (left − 1) / width to right / width."""
    left, top, right, bottom = corners
    if not (1 <= left <= right <= width and 1 <= top <= bottom <= height):
        raise DataError(f"{where}: the box {corners} is not on a picture of {width}×{height} pixels, counted from 1")
    return Box((left - 1) / width, (top - 1) / height, right / width, bottom / height)


def _words(text: str, start: int, end: int, where: str) -> WordSpan:
    """The words that hold the characters ``start`` … ``end`` − 1."""
    if not (0 <= start < end <= len(text) and text[start:end].strip()):
        raise DataError(f'{where}: no phrase from character {start} to {end} in "{text}"')
    first = len(text[: start + 1].split()) - 1
    return WordSpan(first, len(text[:end].split()))
