"""Running text for language models: a specification in, a stream of documents out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol

from saccade.data.examples import Document
from saccade.data.sources.files import SourceFile, find_file, refuse_folder
from saccade.data.sources.lines import lines
from saccade.data.sources.near import did_you_mean
from saccade.data.sources.read import Split
from saccade.data.sources.spec import FileSpec, NamedSpec, ParallelSpec, SchemeSpec, parse_spec
from saccade.data.sources.topics import read_topics
from saccade.errors import DataError

Borders = Literal["blank-line", "line", "file"]


class DocumentReader(Protocol):
    """What stands behind a scheme: ``scenes:stories`` calls the reader of ``scenes`` with ``stories``."""

    def __call__(self, rest: str, /, *, split: Split) -> Iterator[Document]: ...


TEXT_SCHEMES: Mapping[str, DocumentReader] = MappingProxyType({"python": read_topics})
NO_SCHEMES: Mapping[str, DocumentReader] = MappingProxyType({})


def read_documents(
    spec: str,
    *,
    split: Split = "train",
    borders: Borders = "blank-line",
    base: Path | None = None,
    schemes: Mapping[str, DocumentReader] = NO_SCHEMES,
) -> Iterator[Document]:
    """Read the documents that ``spec`` names, one at a time: a text larger than memory passes.

    ``spec`` is a ``.txt`` file, also with ``.gz`` after it, ``python:topics``, or ``name:rest`` with ``name`` in
    ``schemes``. In a file a ``blank-line`` ends a document, or every ``line`` is one, or the ``file`` as a whole, which
    then has to fit into memory. Blank documents are left out. A missing or empty file is reported at once, a file
    without any text when the reading has ended.
    """
    known = _known(schemes)
    match parse_spec(spec):
        case ParallelSpec() | NamedSpec():
            raise DataError(f"{spec}: two parallel files are pairs for translation; name one text; {known}")
        case SchemeSpec(name, rest):
            readers = {**TEXT_SCHEMES, **schemes}
            if name not in readers:
                raise DataError(f'{spec}: unknown scheme "{name}"{did_you_mean(name, readers)}; {known}')
            return readers[name](rest, split=split)
        case FileSpec(path):
            folder = Path() if base is None else base
            ending = Path(path.removesuffix(".gz")).suffix
            if ending.lower() != ".txt":
                refuse_folder(path, folder)
                given = f'kind of file "{ending}"' if ending else "kind of file (its name has no ending)"
                raise DataError(f"{path}: unknown {given} for running text; {known}")
            return _documents(find_file(path, folder), borders)


def _known(schemes: Iterable[str]) -> str:
    return ", ".join(["known: .txt, also with .gz after it", "python:topics", *(f"{name}:..." for name in schemes)])


def _documents(file: SourceFile, borders: Borders) -> Iterator[Document]:
    found = False
    for document in READERS[borders](file):
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


def _whole(file: SourceFile) -> Iterator[Document]:
    text = "\n".join(lines(file))
    if text.strip():
        yield Document(text, file.where(1))


READERS: Mapping[Borders, Callable[[SourceFile], Iterator[Document]]] = MappingProxyType(
    {"blank-line": _by_blank_line, "line": _by_line, "file": _whole}
)
