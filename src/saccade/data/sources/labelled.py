"""Labelled texts for classification and regression: a specification in, a stream of examples out."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from saccade.data.examples import Labelled
from saccade.data.sources.columns import Chosen, Columns, choose
from saccade.data.sources.files import find_file, refuse_folder
from saccade.data.sources.glue import glue_file
from saccade.data.sources.near import did_you_mean
from saccade.data.sources.read import Split
from saccade.data.sources.records import RECORD_READERS, Asked, Record, RecordReader
from saccade.data.sources.spec import FileSpec, NamedSpec, ParallelSpec, SchemeSpec, parse_spec
from saccade.data.sources.stream import skipped_clause
from saccade.data.sources.wanted import checked_text
from saccade.errors import DataError

Empty = Literal["refused", "kept"]

KNOWN = f"known: {', '.join(RECORD_READERS)}, each also with .gz after it, and glue:TASK:FOLDER"
CUSTOMARY = Columns()


class LabelledStream(Iterator[Labelled]):
    """The examples of one specification, once through; ends in a :class:`DataError` if there was none."""

    def __init__(self, shown: str, examples: Iterator[Labelled], skipped: Counter[str]) -> None:
        self._skipped = skipped
        self._examples = self._checked(shown, examples)

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many lines of which kind the source has left out so far, such as ``{"blank lines": 1}``."""
        return MappingProxyType(dict(self._skipped))

    def __next__(self) -> Labelled:
        return next(self._examples)

    def _checked(self, shown: str, examples: Iterator[Labelled]) -> Iterator[Labelled]:
        found = False
        for example in examples:
            found = True
            yield example
        if not found:
            raise DataError(f"{shown}: no examples found{skipped_clause(self.skipped)}")


def read_labelled(
    spec: str, *, split: Split = "train", columns: Columns = CUSTOMARY, base: Path | None = None
) -> LabelledStream:
    """Read the labelled texts that ``spec`` names, one at a time.

    ``spec`` is a ``.tsv``, ``.csv``, ``.jsonl`` or ``.parquet`` file, each also with ``.gz`` after it, or
    ``glue:TASK:FOLDER`` for the official files of GLUE, which know their columns. In other files ``columns`` names
    them; without a name customary ones are looked for. Only the split ``test`` may be without labels. Blank lines are
    left out and counted. Relative paths are seen from ``base``, by default the working directory.
    """
    folder = Path() if base is None else base
    skipped: Counter[str] = Counter()
    match parse_spec(spec):
        case ParallelSpec() | NamedSpec():
            raise DataError(f"{spec}: labelled texts come from one file, without braces; {KNOWN}")
        case SchemeSpec("glue", rest):
            found = glue_file(rest, folder, split=split)
            # A prediction is owed for every row of a test file, so there nothing is left out.
            asked = Asked(found.columns, split != "test", "refused" if split == "test" else found.task.broken)
            examples = _examples(RECORD_READERS[".tsv"](found.file, asked, skipped), asked, empty="kept")
        case SchemeSpec(name):
            raise DataError(f'{spec}: unknown scheme "{name}"{did_you_mean(name, ["glue"])}; {KNOWN}')
        case FileSpec(path):
            reader = _reader(path, folder)
            asked = Asked(columns, split != "test")
            examples = _examples(reader(find_file(path, folder), asked, skipped), asked, empty="refused")
    return LabelledStream(spec, examples, skipped)


def _reader(path: str, folder: Path) -> RecordReader:
    name = Path(path)
    ending = (name.with_suffix("") if name.suffix.lower() == ".gz" else name).suffix.lower()
    if ending not in RECORD_READERS:
        refuse_folder(path, folder)
        given = f'kind of file "{ending}"' if ending else "kind of file (its name has no ending)"
        raise DataError(f"{path}: unknown {given} for labelled texts{did_you_mean(ending, RECORD_READERS)}; {KNOWN}")
    return RECORD_READERS[ending]


def _examples(records: Iterator[Record], asked: Asked, *, empty: Empty) -> Iterator[Labelled]:
    chosen: Chosen | None = None
    present: list[str] = []
    columns = asked.columns
    for record in records:
        if chosen is None or record.present != present:
            present = record.present
            chosen = choose(columns, present, record.where, needs_label=asked.needs_label)
            columns = Columns(chosen.text, chosen.second, chosen.label)  # what the first record settled is kept
        yield Labelled(
            text=_text(record, chosen.text, empty),
            second=None if chosen.second is None else _text(record, chosen.second, empty),
            label=None if chosen.label is None else _label(record, chosen.label, needed=asked.needs_label),
            where=record.where,
        )


def _text(record: Record, name: str, empty: Empty) -> str:
    text = checked_text(record.fields[name], name, record.where)
    if empty == "refused" and not text.strip():
        raise DataError(f'{record.where}: "{name}" is empty: expected a text; mend or delete the line')
    return text


def _label(record: Record, name: str, *, needed: bool) -> str | None:
    """The label as a text; a number of JSON or Parquet is written out (NaN is none), true and false as in JSON."""
    value = record.fields[name]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float) and not math.isnan(value):
        return str(value)
    label = "" if value is None or isinstance(value, float) else checked_text(value, name, record.where).strip()
    if not label and needed:
        raise DataError(f'{record.where}: "{name}" is empty: expected a label; only a test set may be without')
    return label or None
