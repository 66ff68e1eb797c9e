"""What a recipe writes to name its data: parallel files, one file, or ``scheme:rest``, perhaps with two names of it."""

import re
from dataclasses import dataclass

from saccade.errors import DataError

# Two letters at least, so that a Windows drive is no scheme; a file with a colon can be written ./a:b.tsv
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9_+-]+):(.*)", re.DOTALL)
LANGUAGE = r"[A-Za-z]{2,3}(?:_[A-Za-z0-9]{2,8})*"
HYPHENATED = rf"{LANGUAGE}(?:-[A-Za-z0-9]{{2,8}})*"
SIDES = frozenset(("src", "tgt", "trg", "source", "target"))  # customary endings and columns that are no languages
NAMES = r"\{([^{},]+),([^{},]+)\}"


@dataclass(frozen=True)
class Languages:
    """The languages a specification names, ``None`` where it does not say."""

    source: str | None = None
    target: str | None = None


@dataclass(frozen=True)
class ParallelSpec:
    """Two files; ``source_mark`` and ``target_mark`` are what stood between the braces."""

    source: str
    target: str
    source_mark: str
    target_mark: str


@dataclass(frozen=True)
class FileSpec:
    path: str


@dataclass(frozen=True)
class SchemeSpec:
    name: str
    rest: str


@dataclass(frozen=True)
class NamedSpec:
    """One file, or one data set of the hub, with the two languages, columns or keys to read: ``all.tmx:{de,en}``."""

    inner: FileSpec | SchemeSpec
    source: str
    target: str


Spec = ParallelSpec | FileSpec | SchemeSpec | NamedSpec


def parse_spec(spec: str) -> Spec:
    """Take a specification apart; nothing is looked up."""
    if not spec.strip():
        raise DataError("no data is named: expected a file such as corpus/train.tsv or corpus/train.{en,de}")
    # A dot or a slash tells a file or a data set from a scheme, whose rest may look like anything.
    if named := re.fullmatch(rf"([^{{}}]*[./][^{{}}]*):{NAMES}", spec):
        inner = parse_spec(named[1])
        if isinstance(inner, FileSpec) or (isinstance(inner, SchemeSpec) and inner.name == "hub"):
            return NamedSpec(inner, named[2], named[3])
    if scheme := SCHEME.fullmatch(spec):
        return SchemeSpec(scheme[1], scheme[2])
    if "{" not in spec and "}" not in spec:
        return FileSpec(spec)
    braces = re.fullmatch(rf"([^{{}}]*){NAMES}([^{{}}]*)", spec)
    if braces is None:
        raise DataError(f"{spec}: expected exactly two names between one pair of braces, as in corpus/train.{{en,de}}")
    before, source, target, after = braces.groups()
    return ParallelSpec(f"{before}{source}{after}", f"{before}{target}{after}", source, target)


def languages(spec: str) -> Languages:
    """``train.{en,de}``, ``all.tmx:{en,de}`` and ``scenes:en-de`` name English and German; ``train.tsv`` does not."""
    match parse_spec(spec):
        case ParallelSpec(source_mark=source, target_mark=target):
            return Languages(_language(source), _language(target))
        case SchemeSpec(rest=rest) if found := re.fullmatch(rf"({LANGUAGE})-({LANGUAGE})(?:\?.*)?", rest):
            return Languages(found[1], found[2])
        case NamedSpec(source=source, target=target):
            return Languages(as_language(source), as_language(target))
        case _:
            return Languages()


def as_language(name: str | None) -> str | None:
    """What a user called one side, if that is a language's name rather than a word for the side."""
    return None if name is None or name.lower() in SIDES else name


def _language(mark: str) -> str | None:
    return mark if re.fullmatch(HYPHENATED, mark) and mark.lower() not in SIDES else None
