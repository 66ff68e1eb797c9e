"""Running text for language models: a specification in, a stream of documents out."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from saccade.data.examples import Document
from saccade.data.sources.files import SourceFile, find_file, refuse_folder
from saccade.data.sources.lines import lines
from saccade.data.sources.near import did_you_mean
from saccade.data.sources.read import Split
from saccade.data.sources.spec import FileSpec, NamedSpec, ParallelSpec, SchemeSpec, parse_spec
from saccade.data.sources.topics import read_topics
from saccade.errors import DataError

Borders = Literal["blank-line", "line"]

TEXT_SCHEMES: Mapping[str, Callable[[str, Split], Iterator[Document]]] = MappingProxyType({"python": read_topics})
KNOWN = "known: .txt, also with .gz after it, and python:topics"


def read_documents(
    spec: str, *, split: Split = "train", borders: Borders = "blank-line", base: Path | None = None
) -> Iterator[Document]:
    """Read the documents that ``spec`` names, one at a time: a text larger than memory passes.

    ``spec`` is a ``.txt`` file, also with ``.gz`` after it, or ``python:topics``. In a file a ``blank-line`` ends a
    document, or every ``line`` is one. Blank documents are left out. A missing or empty file is reported at once, a
    file without any text when the reading comes to its end.
    """
    match parse_spec(spec):
        case ParallelSpec() | NamedSpec():
            raise DataError(f"{spec}: two parallel files are pairs for translation; name one text; {KNOWN}")
        case SchemeSpec(name, rest):
            if name not in TEXT_SCHEMES:
                raise DataError(f'{spec}: unknown scheme "{name}"{did_you_mean(name, TEXT_SCHEMES)}; {KNOWN}')
            return TEXT_SCHEMES[name](rest, split)
        case FileSpec(path):
            folder = Path() if base is None else base
            ending = Path(path.removesuffix(".gz")).suffix
            if ending.lower() != ".txt":
                refuse_folder(path, folder)
                given = f'kind of file "{ending}"' if ending else "kind of file (its name has no ending)"
                raise DataError(f"{path}: unknown {given} for running text; {KNOWN}")
            return _documents(find_file(path, folder), borders)


def _documents(file: SourceFile, borders: Borders) -> Iterator[Document]:
    found = False
    for document in _by_line(file) if borders == "line" else _by_blank_line(file):
        found = True
        yield document
    if not found:
        raise DataError(f"{file.shown}: only blank lines: expected text")


def _by_line(file: SourceFile) -> Iterator[Document]:
    for number, line in enumerate(lines(file), start=1):
        if line.strip():
            yield Document(line, file.where(number))


def _by_blank_line(file: SourceFile) -> Iterator[Document]:
    together: list[str] = []
    number = 0
    for number, line in enumerate(lines(file), start=1):
        if line.strip():
            together.append(line)
        elif together:
            yield Document("\n".join(together), file.where(number - len(together)))
            together = []
    if together:
        yield Document("\n".join(together), file.where(number - len(together) + 1))
