"""TMX, the exchange format of translation memories, read as a stream of events; no tree is built.

Expat is used directly because it tells of entity declarations (refused: a few lines of them can unfold to gigabytes)
and of the exact line.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from xml.parsers import expat

from saccade.data.examples import Pair
from saccade.data.sources.files import SourceFile, opened
from saccade.data.sources.wanted import Wanted
from saccade.errors import DataError

CHUNK_BYTES = 1 << 16
CODES = frozenset(("bpt", "ept", "it", "ph", "ut"))  # hold the markup of the original document, not text


@dataclass(frozen=True, slots=True)
class Segment:
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Unit:
    """One ``<tu>``: the same text in several languages; ``line`` is where it begins."""

    line: int
    segments: tuple[Segment, ...]


def tmx_pairs(file: SourceFile, wanted: Wanted, skipped: Counter[str]) -> Iterator[Pair]:
    """The pairs of the two languages asked for; ``en`` finds ``EN``, ``en-US`` and ``en_GB``, an exact tag first."""
    found: dict[str, None] = {}
    any_pair = False
    for unit in _units(file):
        found.update((segment.language, None) for segment in unit.segments)
        if wanted.source is None or wanted.target is None:
            raise DataError(
                f"{file.shown}: a TMX file may hold many languages: name the two to read with source and target "
                f"(the first unit has: {_listed(found)})"
            )
        sources = _in_language(unit, wanted.source)
        targets = _in_language(unit, wanted.target)
        if not sources or not targets:
            skipped["units without both languages"] += 1
            continue
        any_pair = True
        skipped["further variants"] += len(sources) + len(targets) - 2
        yield Pair(sources[0].text, targets[0].text, file.where(unit.line))
    if found and not any_pair:
        raise DataError(
            f"{file.shown}: no unit has both {wanted.source} and {wanted.target} (languages found: {_listed(found)})"
        )


def _in_language(unit: Unit, asked: str) -> list[Segment]:
    """The segments in a language, those of exactly this tag first."""
    tag = _tag(asked)
    matching = [s for s in unit.segments if _tag(s.language) == tag or _tag(s.language).startswith(f"{tag}-")]
    return sorted(matching, key=lambda segment: _tag(segment.language) != tag)


def _tag(language: str) -> str:
    return language.lower().replace("_", "-")


def _listed(languages: dict[str, None]) -> str:
    return ", ".join(sorted(languages)) or "none"


def _units(file: SourceFile) -> Iterator[Unit]:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    builder = _Builder(file, parser)
    try:
        with opened(file) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                parser.Parse(chunk, False)
                yield from builder.finished()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise DataError(f"{file.where(error.lineno)}: broken XML: {reason} at column {error.offset + 1}") from None
    yield from builder.finished()


class _Builder:
    """Collects units from the parser's events."""

    def __init__(self, file: SourceFile, parser: expat.XMLParserType) -> None:
        self._file = file
        self._parser = parser
        self._units: list[Unit] = []
        self._root: str | None = None
        self._line = 0
        self._segments: list[Segment] = []
        self._language = ""
        self._text: list[str] | None = None  # the pieces of the segment we are in
        self._inside_code = 0
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity_declared
        parser.SkippedEntityHandler = self._entity_skipped

    def finished(self) -> list[Unit]:
        """The units that ended since the last call."""
        units, self._units = self._units, []
        return units

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._root is None:
            self._root = name
            if name != "tmx":
                raise DataError(f"{self._here()}: not a TMX file: the outermost element is <{name}>, expected <tmx>")
        if self._text is not None:
            self._inside_code += self._inside_code > 0 or name in CODES
        elif name == "tu":
            self._line = self._parser.CurrentLineNumber
            self._segments = []
        elif name == "tuv":
            self._language = attributes.get("xml:lang") or attributes.get("lang") or ""
            if not self._language:
                raise DataError(f"{self._here()}: <tuv> without xml:lang: its language is not known")
        elif name == "seg":
            self._text = []

    def _end(self, name: str) -> None:
        if self._inside_code:
            self._inside_code -= 1
        elif name == "seg" and self._text is not None:
            self._segments.append(Segment(self._language, "".join(self._text)))
            self._text = None
        elif name == "tu":
            self._units.append(Unit(self._line, tuple(self._segments)))

    def _characters(self, text: str) -> None:
        if self._text is not None and not self._inside_code:
            self._text.append(text)

    def _entity_declared(self, name: str, *_details: object) -> None:
        raise DataError(f'{self._here()}: declares the entity "{name}": files with entity declarations are refused')

    def _entity_skipped(self, name: str, is_parameter: int) -> None:
        if not is_parameter:
            raise DataError(f'{self._here()}: the entity "&{name};" is not known: write the character itself')

    def _here(self) -> str:
        return self._file.where(self._parser.CurrentLineNumber)
