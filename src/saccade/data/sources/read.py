"""The one door: a specification in, a stream of pairs out."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol

from saccade.data.examples import Pair
from saccade.data.sources.files import SourceFile, find_file, refuse_folder
from saccade.data.sources.hub import hub_pairs
from saccade.data.sources.jsonl import jsonl_pairs
from saccade.data.sources.near import did_you_mean
from saccade.data.sources.parallel import parallel_pairs
from saccade.data.sources.parquet import parquet_pairs
from saccade.data.sources.po import po_pairs
from saccade.data.sources.spec import FileSpec, NamedSpec, ParallelSpec, SchemeSpec, parse_spec
from saccade.data.sources.stream import PairStream
from saccade.data.sources.tables import csv_pairs, tsv_pairs
from saccade.data.sources.tmx import tmx_pairs
from saccade.data.sources.wanted import Wanted
from saccade.errors import DataError

Split = Literal["train", "valid", "test"]
FileReader = Callable[[SourceFile, Wanted, Counter[str]], Iterator[Pair]]

FILE_READERS: Mapping[str, FileReader] = MappingProxyType(
    {
        ".csv": lambda file, wanted, _: csv_pairs(file, wanted),
        ".jsonl": lambda file, wanted, _: jsonl_pairs(file, wanted),
        ".parquet": lambda file, wanted, _: parquet_pairs(file, wanted),
        ".po": lambda file, _, skipped: po_pairs(file, skipped),
        ".tmx": tmx_pairs,
        ".tsv": lambda file, wanted, _: tsv_pairs(file, wanted),
    }
)


class PairReader(Protocol):
    """What stands behind a scheme: ``scenes:en-fr`` calls the reader of ``scenes`` with ``en-fr``."""

    def __call__(self, rest: str, /, *, split: str) -> Iterator[Pair]: ...


NO_SCHEMES: Mapping[str, PairReader] = MappingProxyType({})


def read_pairs(
    spec: str,
    *,
    split: Split = "train",
    source: str | None = None,
    target: str | None = None,
    base: Path | None = None,
    schemes: Mapping[str, PairReader] = NO_SCHEMES,
) -> PairStream:
    """Read the pairs that ``spec`` names, one at a time: a corpus larger than memory passes.

    ``spec`` is ``corpus/train.{en,de}``, a ``.tsv``, ``.csv``, ``.jsonl``, ``.parquet``, ``.po`` or ``.tmx`` file,
    each also with ``.gz`` after it, ``hub:owner/name[/config]``, or ``name:rest`` with ``name`` in ``schemes``.
    ``source`` and ``target`` name columns, keys or languages; names behind a file or a data set of the hub, as in
    ``all.tmx:{de,en}``, go before them. Relative paths are seen from ``base``, by default the working directory.
    ``split`` matters to the hub and to schemes: a file is one split already.

    A missing or empty file, unequal parallel files and a missing library are reported at once; what is wrong inside
    a file when the reading comes to it.
    """
    wanted, parsed = Wanted(source, target), parse_spec(spec)
    if isinstance(parsed, NamedSpec):
        wanted, parsed = Wanted(parsed.source, parsed.target), parsed.inner
    if len(wanted.names) == 1:
        raise DataError(f'source and target are both "{wanted.source_name}": expected two different names')
    folder = Path() if base is None else base
    skipped: Counter[str] = Counter()
    match parsed:
        case ParallelSpec() as parallel:
            _check_direction(spec, parallel, wanted)
            pairs = parallel_pairs(find_file(parallel.source, folder), find_file(parallel.target, folder))
        case SchemeSpec("hub", rest) if "hub" not in schemes:
            pairs = hub_pairs(rest, wanted, split=split)
        case SchemeSpec(name, rest):
            pairs = _scheme(spec, name, schemes)(rest, split=split)
        case FileSpec(path):
            pairs = _file_pairs(path, folder, wanted, skipped)
    return PairStream(spec, iter(pairs), skipped)


def _check_direction(spec: str, parallel: ParallelSpec, wanted: Wanted) -> None:
    """Files in one order and names in the other would train the opposite direction without a word."""
    if wanted.source == parallel.target_mark or wanted.target == parallel.source_mark:
        raise DataError(
            f"{spec} reads {parallel.source_mark} to {parallel.target_mark}, but source is {wanted.source} and target "
            f"is {wanted.target}: the first name between the braces is the source"
        )


def _file_pairs(path: str, folder: Path, wanted: Wanted, skipped: Counter[str]) -> Iterator[Pair]:
    name = Path(path)
    if name.suffix.lower() == ".gz":
        name = name.with_suffix("")
    reader = FILE_READERS.get(name.suffix.lower())
    if reader is None:
        refuse_folder(path, folder)
        given = f'kind of file "{name.suffix}"' if name.suffix else "kind of file (its name has no ending)"
        raise DataError(f"{path}: unknown {given}{did_you_mean(name.suffix.lower(), FILE_READERS)}; {_known(())}")
    return reader(find_file(path, folder), wanted, skipped)


def _scheme(spec: str, name: str, schemes: Mapping[str, PairReader]) -> PairReader:
    if name in schemes:
        return schemes[name]
    near = did_you_mean(name, ["hub", *schemes])
    raise DataError(
        f'{spec}: unknown scheme "{name}"{near}; {_known(schemes)}; a file of this name is written ./{spec}'
    )


def _known(schemes: Iterable[str]) -> str:
    known = ["parallel files as train.{en,de}", *FILE_READERS, "hub:owner/name", *(f"{name}:..." for name in schemes)]
    return f"known: {', '.join(known)}; files also with .gz"
