"""The bytes that a piece of the vocabulary stands for, and how a piece is shown to a reader.

Every vocabulary here is, in the end, a table from ids to bytes: a text is the bytes of its tokens set side by side. The
word a token belongs to, its decoded text and its readable form all follow from that one table.
"""

import re
from collections.abc import Iterable

SPACE = b" "
WHITESPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B)))
WHITESPACE += "\u2028\u2029\u202f\u205f\u3000"
"""The 29 characters at which ``str.split()`` splits."""

# A whitespace character is never hidden by broken bytes before it, since its first byte always starts a character:
# looking for it among bytes finds exactly what looking for it in the decoded text would.
_GAP_IN_BYTES = re.compile(b"(?:" + b"|".join(character.encode() for character in WHITESPACE) + b")+")

_SHOWN = {" ": "␣", "\n": "↵", "\t": "⇥"}


def byte_alphabet() -> dict[str, int]:
    """The byte that each of the 256 characters of the byte-level alphabet stands for.

    Bytes that print as one visible Latin-1 character stand for themselves; the others, in order, for the characters
    from U+0100. This is the alphabet of the library's ``ByteLevel``.
    """
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = sorted(set(range(256)) - set(visible))
    alphabet = {chr(byte): byte for byte in visible}
    alphabet.update({chr(0x100 + place): byte for place, byte in enumerate(hidden)})
    return alphabet


def byte_token(byte: int) -> str:
    """The name that the library gives to a single byte where characters are the alphabet: ``<0xC3>``."""
    return f"<0x{byte:02X}>"


def shown(piece: bytes) -> str:
    """A piece as a reader sees it: no leading space, and a visible sign for what has no form of its own.

    ``b" circle"`` is ``circle``; a lone byte of a longer character is ``⟨C3⟩``; a space by itself is ``␣``.
    """
    if piece.startswith(SPACE) and not piece.isspace():
        piece = piece[1:]
    signs: list[str] = []
    while piece:
        try:
            readable, broken, piece = piece.decode(), b"", b""
        except UnicodeDecodeError as error:
            readable, broken = piece[: error.start].decode(), piece[error.start : error.end]
            piece = piece[error.end :]
        signs.extend(_sign(character) for character in readable)
        signs.extend(f"⟨{byte:02X}⟩" for byte in broken)
    return "".join(signs)


def _sign(character: str) -> str:
    if character in _SHOWN:
        return _SHOWN[character]
    return character if character.isprintable() else f"⟨U+{ord(character):04X}⟩"


def word_of_each(pieces: Iterable[bytes]) -> list[int]:
    """For each piece the index of the whitespace-separated word that it lies in, -1 for nothing but whitespace."""
    pieces = list(pieces)
    text = b"".join(pieces)
    gaps = [match.span() for match in _GAP_IN_BYTES.finditer(text)]
    edges = [0, *(edge for gap in gaps for edge in gap), len(text)]
    spans = [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
    words: list[int] = []
    start = word = 0
    for piece in pieces:
        end = start + len(piece)
        while word < len(spans) and spans[word][1] <= start:
            word += 1
        inside = word < len(spans) and spans[word][0] < end and piece
        words.append(word if inside else -1)
        start = end
    return words
