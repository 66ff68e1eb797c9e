"""Gettext PO: ``msgid`` is the source, ``msgstr`` the target."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from saccade.data.examples import Pair
from saccade.data.sources.files import SourceFile
from saccade.data.sources.lines import lines
from saccade.data.sources.wanted import checked_text
from saccade.errors import DataError

STATEMENT = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s*(?=\")")
STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"')
ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
ESCAPED = {
    b"n": b"\n",
    b"t": b"\t",
    b"r": b"\r",
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"v": b"\v",
    b"\\": b"\\",
    b'"': b'"',
}
SPACE = " \t\r\f\v"


@dataclass
class Entry:
    """One message: the strings of its statements, the lines of one statement joined."""

    line: int
    fuzzy: bool
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def translated(self) -> bool:
        return any(key.startswith("msgstr") for key in self.texts)


def po_pairs(file: SourceFile, skipped: Counter[str]) -> Iterator[Pair]:
    """The translated messages; what is left out is counted in ``skipped``.

    A message with a plural gives (msgid, msgstr[0]) and (msgid_plural, msgstr[1]).
    """
    for entry in _entries(file, skipped):
        texts = entry.texts
        if texts["msgid"] == "" and "msgctxt" not in texts:
            skipped["header"] += 1
            continue
        if entry.fuzzy:
            skipped["fuzzy"] += 1
            continue
        sides = [("msgid", "msgstr")]
        if "msgid_plural" in texts:
            sides = [("msgid", "msgstr[0]"), ("msgid_plural", "msgstr[1]")]
            # Languages with one form have no msgstr[1]; those with three have forms that English cannot show.
            skipped["further plural forms"] += max(0, sum(key.startswith("msgstr") for key in texts) - 2)
        for source, target in sides:
            if texts.get(target):
                yield Pair(texts[source], texts[target], file.where(entry.line))
            elif target in texts:
                skipped["untranslated"] += 1


def _entries(file: SourceFile, skipped: Counter[str]) -> Iterator[Entry]:
    entry: Entry | None = None
    key = ""
    fuzzy = False
    for number, line in enumerate(lines(file), start=1):
        text = line.strip(SPACE)
        where = file.where(number)
        if not text:
            continue
        if text.startswith("#"):
            key = ""
            fuzzy = fuzzy or (text.startswith("#,") and "fuzzy" in re.split(r"[,\s]+", text))
            if re.match(r"#~\s*msgid(?!_)", text):
                skipped["obsolete"] += 1
                fuzzy = False
            continue
        if text.startswith('"'):
            if entry is None or not key:
                raise _broken(where, "a string that belongs to no statement")
            entry.texts[key] += _string(text, where)
            continue
        statement = STATEMENT.match(text)
        if statement is None:
            raise _broken(where, f'expected msgctxt, msgid, msgid_plural, msgstr or a string, found "{text[:40]}"')
        key = statement[1]
        if entry is not None and entry.translated and key in ("msgctxt", "msgid"):
            yield entry
            entry = None
        if entry is None:
            entry = Entry(number, fuzzy)
            fuzzy = False
        _check_order(entry, key, file, where)
        if key == "msgid":
            entry.line = number
        entry.texts[key] = _string(text[statement.end() :], where)
    if entry is not None:
        if not entry.translated:
            raise _broken(file.where(entry.line), "a message without msgstr")
        yield entry


def _check_order(entry: Entry, key: str, file: SourceFile, where: str) -> None:
    """A message is msgctxt?, msgid, then msgstr, or msgid_plural and msgstr[0], msgstr[1] ..."""
    texts = entry.texts
    if key in ("msgctxt", "msgid") and "msgid" in texts:
        raise _broken(file.where(entry.line), "a message without msgstr")
    if key in texts:
        raise _broken(where, f"a second {key} in one message")
    if key not in ("msgctxt", "msgid") and "msgid" not in texts:
        raise _broken(where, f"{key} without msgid")
    if key == "msgid_plural" and entry.translated:
        raise _broken(where, "msgid_plural after msgstr")
    if key.startswith("msgstr") and ("[" in key) != ("msgid_plural" in texts):
        expected = "msgstr[0], msgstr[1] ..." if "msgid_plural" in texts else "msgstr"
        raise _broken(where, f"{key} where {expected} was expected")


def _string(text: str, where: str) -> str:
    string = STRING.fullmatch(text)
    if string is None:
        raise _broken(where, 'a string must stand between two quotes, with quotes inside it written \\"')
    if "\\" not in string[1]:
        return string[1]
    unescaped = ESCAPE.sub(lambda escape: _character(escape, where), string[1].encode("utf-8"))
    try:
        return checked_text(unescaped.decode("utf-8"), "string", where)
    except UnicodeDecodeError:
        raise _broken(where, "the escapes of a string do not give UTF-8") from None


def _character(escape: re.Match[bytes], where: str) -> bytes:
    octal, hexadecimal, letter = escape.groups()
    if letter is None:
        return bytes([int(octal, 8) & 0xFF if octal else int(hexadecimal, 16)])
    if letter not in ESCAPED:
        raise _broken(where, f"unknown escape \\{letter.decode('utf-8', 'replace')}")
    return ESCAPED[letter]


def _broken(where: str, why: str) -> DataError:
    return DataError(f"{where}: broken PO: {why}")
