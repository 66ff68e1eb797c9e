"""What a recipe writes to name its data: parallel files, one file, or ``scheme:rest``."""

import re
from dataclasses import dataclass

from saccade.errors import DataError

# Two letters at least, so that a Windows drive is no scheme; a file with a colon can be written ./a:b.tsv
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9_+-]+):(.*)", re.DOTALL)
LANGUAGE = r"[A-Za-z]{2,3}(?:_[A-Za-z0-9]{2,8})*"
HYPHENATED = rf"{LANGUAGE}(?:-[A-Za-z0-9]{{2,8}})*"
SIDES = frozenset(("src", "tgt", "trg"))  # customary file endings that look like languages


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


Spec = ParallelSpec | FileSpec | SchemeSpec


def parse_spec(spec: str) -> Spec:
    """Take a specification apart; nothing is looked up."""
    if not spec.strip():
        raise DataError("no data is named: expected a file such as corpus/train.tsv or corpus/train.{en,de}")
    if scheme := SCHEME.fullmatch(spec):
        return SchemeSpec(scheme[1], scheme[2])
    if "{" not in spec and "}" not in spec:
        return FileSpec(spec)
    braces = re.fullmatch(r"([^{}]*)\{([^{},]+),([^{},]+)\}([^{}]*)", spec)
    if braces is None:
        raise DataError(f"{spec}: expected exactly two names between one pair of braces, as in corpus/train.{{en,de}}")
    before, source, target, after = braces.groups()
    return ParallelSpec(f"{before}{source}{after}", f"{before}{target}{after}", source, target)


def languages(spec: str) -> Languages:
    """``train.{en,de}`` and ``scenes:en-de`` name English and German; ``train.tsv`` does not say."""
    match parse_spec(spec):
        case ParallelSpec(source_mark=source, target_mark=target):
            return Languages(_language(source), _language(target))
        case SchemeSpec(rest=rest) if found := re.fullmatch(rf"({LANGUAGE})-({LANGUAGE})(?:\?.*)?", rest):
            return Languages(found[1], found[2])
        case _:
            return Languages()


def _language(mark: str) -> str | None:
    return mark if re.fullmatch(HYPHENATED, mark) and mark.lower() not in SIDES else None
