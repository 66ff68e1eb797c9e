"""Which two columns, keys or languages are asked for, and taking them from a record."""

from collections.abc import Mapping
from dataclasses import dataclass

from saccade.data.examples import Pair
from saccade.errors import DataError

NESTED = "translation"  # the column under which hub data sets keep {"en": ..., "de": ...}


@dataclass(frozen=True)
class Wanted:
    """The names asked for, ``None`` where none was given."""

    source: str | None = None
    target: str | None = None

    @property
    def source_name(self) -> str:
        return "source" if self.source is None else self.source

    @property
    def target_name(self) -> str:
        return "target" if self.target is None else self.target

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.source_name, self.target_name))


def pair_of(record: Mapping[str, object], wanted: Wanted, where: str) -> Pair:
    """The pair of a record ``{source: text, target: text}`` or ``{"translation": {source: text, target: text}}``."""
    nested = record.get(NESTED)
    fields = record
    if isinstance(nested, Mapping) and not wanted.names <= record.keys():
        fields = nested
    if missing := [name for name in (wanted.source_name, wanted.target_name) if name not in fields]:
        raise DataError(missing_names(missing, _present(record), where))
    source = checked_text(fields[wanted.source_name], wanted.source_name, where)
    target = checked_text(fields[wanted.target_name], wanted.target_name, where)
    return Pair(source, target, where)


def missing_names(missing: list[str], present: list[str], where: str) -> str:
    """The message for columns or keys that are not there."""
    asked = " and ".join(f'"{name}"' for name in missing)
    found = ", ".join(present) or "none"
    return f"{where}: no column or key {asked} (there are: {found}); name the two to read with source and target"


def checked_text(value: object, name: str, where: str) -> str:
    """The value, if it is a text that can be written as UTF-8 and holds no NUL."""
    if not isinstance(value, str):
        shown = "null" if value is None else f"{type(value).__name__} {str(value)[:40]}"
        raise DataError(f'{where}: "{name}" is {shown}, expected a text')
    if "\0" in value:
        raise DataError(f'{where}: "{name}" holds a NUL character')
    try:
        value.isascii() or value.encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"\\u{ord(value[error.start]):04x}"
        raise DataError(f'{where}: "{name}" holds half of a surrogate pair ({half}), which is no character') from None
    return value


def _present(record: Mapping[str, object]) -> list[str]:
    """The names to choose from, nested ones as ``translation.en``."""
    present: list[str] = []
    for name, value in record.items():
        if name == NESTED and isinstance(value, Mapping):
            present.extend(f"{NESTED}.{inner}" for inner in value)
        else:
            present.append(str(name))
    return present
