"""A trained tokenizer: encode, decode, and say which piece and which word each id is."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
import tokenizers

from saccade.data.tokenizers.pieces import SPACE, WHITESPACE, byte_alphabet, byte_token, shown, word_of_each
from saccade.data.tokenizers.roles import TEXT, Roles, roles_among
from saccade.errors import DataError

Kind = Literal["bpe", "wordpiece", "unigram", "characters", "words", "bert"]

INSIDE = "##"
"""What a piece begins with that goes on with a word, in vocabularies of kind ``bert``."""

NONE = -1
"""In place of an id that a vocabulary has not."""

AFTER_BREAK = f"(?<=[{WHITESPACE.replace(' ', '')}])"
"""Just after whitespace other than a space: where ``words`` puts in a space, so that a word always begins with one."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Span:
    """The characters ``text[start:end]``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Encoded:
    """The ids of a text and, for each, the characters it stands for, without whitespace around a word.

    The bytes of one character may be several tokens; each of them then has that character's span.
    """

    ids: list[int]
    offsets: list[Span]


class Tokenizer:
    """Text to ids and back.

    For ``bpe``, ``wordpiece``, ``unigram`` and ``characters``, ``decode(encode(text).ids) == text`` for any text
    (lower-cased, character by character, if the tokenizer was trained so). For ``words`` this holds when every word
    of the text is in the vocabulary; an unknown word becomes ``<unk>``: that is the nature of this kind. So is, for
    ``bert``, that words and signs come back with one space between them, and accents and case only if they were kept.

    Encoding never adds ``<s>`` or ``</s>`` and never cuts; a text that spells a special token is ordinary text.
    """

    def __init__(self, definition: str) -> None:
        """``definition`` is the text of a ``tokenizer.json`` that :meth:`save` wrote."""
        self._definition = definition
        try:
            self._library = tokenizers.Tokenizer.from_str(definition)
        except Exception as error:  # the library raises plain Exception for whatever it cannot read
            raise DataError(
                f"not a tokenizer.json of the tokenizers library ({error}); train a tokenizer anew"
            ) from error
        # Not part of the library's file: without it "<pad>" in a text would be read as padding.
        self._library.encode_special_tokens = True
        self.vocab_size: int = self._library.get_vocab_size()
        read: dict[str, Any] = json.loads(definition)
        self.kind: Kind = _kind_of(read["model"])
        roles = roles_among(self._library.get_vocab())
        self._special_ids = _special_ids(self._library, roles)
        self.pad_id, self.bos_id, self.eos_id = (self.id_of(name) for name in (roles.pad, roles.bos, roles.eos))
        self.unk_id = NONE if roles.unk is None else self.id_of(roles.unk)
        self.mask_id = NONE if roles.mask is None else self.id_of(roles.mask)
        # A text gets one space in front, so that its first word is the same token as in the middle.
        self.begins_with_space: bool = self.kind in ("words", "bert") or "Prepend" in json.dumps(read["normalizer"])
        self._bytes = _bytes_of(self._library, self.kind, self._special_ids.values())
        if self.unk_id != NONE:  # shown for what it is
            self._bytes[self.unk_id] = f"{' ' * (self.kind in ('words', 'bert'))}{roles.unk}".encode()

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a ``tokenizer.json``."""
        path = Path(path)
        try:
            return cls(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise DataError(f"{path}: no such tokenizer file; give the tokenizer.json of a run folder") from error
        except UnicodeDecodeError as error:
            raise DataError(f"{path}: not text ({error}); give the tokenizer.json of a run folder") from error
        except DataError as error:
            raise DataError(f"{path}: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write the library's own format, which ``tokenizers.Tokenizer.from_file`` reads too."""
        Path(path).write_bytes(self._definition.encode())

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the saved file."""
        return hashlib.sha256(self._definition.encode()).hexdigest()

    @property
    def specials(self) -> tuple[str, ...]:
        """The names of the special tokens, in the order of their ids."""
        return tuple(self._special_ids)

    @property
    def vocabulary(self) -> dict[str, int]:
        """Every piece as the library's file spells it, with its id."""
        found: dict[str, int] = self._library.get_vocab()
        return found

    @property
    def lowercases(self) -> bool:
        """Whether text is lower-cased before it is cut."""
        normal: str = self._library.normalizer.normalize_str("A") if self._library.normalizer is not None else "A"
        return normal.strip() == "a"

    @cached_property
    def ordinary(self) -> npt.NDArray[np.int64]:
        """The ids that are no special tokens."""
        return np.setdiff1d(np.arange(self.vocab_size), list(self._special_ids.values()))

    def id_of(self, special: str) -> int:
        """The id of a special token, such as a language tag given when training."""
        if special not in self._special_ids:
            raise DataError(f"{special!r} is not a special token of this tokenizer; it has {', '.join(self.specials)}")
        return self._special_ids[special]

    def encode(self, text: str) -> Encoded:
        """The ids and where each stands in the text."""
        encoding = _reading([text], lambda: self._library.encode(text, add_special_tokens=False))
        ids: list[int] = encoding.ids
        offsets: list[Span] = []
        for place, (start, end) in enumerate(encoding.offsets):
            if self._put_in(ids, place):
                start = end = offsets[-1].end if offsets else 0
            elif stripped := text[start:end].strip():
                start += text[start:end].index(stripped)
                end = start + len(stripped)
            offsets.append(Span(start, end))
        return Encoded(ids, offsets)

    def _put_in(self, ids: list[int], place: int) -> bool:
        """Whether the token is nothing but a space that stands in no text, put in before a word."""
        if not self.begins_with_space or self._bytes[ids[place]] != SPACE:
            return False
        return place == 0 or (self.kind == "words" and self._is_break(ids[place - 1]))

    def _is_break(self, token: int) -> bool:
        piece = self._bytes[token]
        return piece != SPACE and piece.decode().isspace()

    def encode_batch(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text: the quick way, on all of the machine's cores."""
        texts = list(texts)
        encodings = _reading(texts, lambda: self._library.encode_batch_fast(texts, add_special_tokens=False))
        return [encoding.ids for encoding in encodings]

    def decode(self, ids: Iterable[int], *, unknown: Iterable[str] = ()) -> str:
        """The text of the ids. Special tokens are left out, all but ``<unk>``; broken characters become U+FFFD.

        ``unknown`` are words to write in place of each ``<unk>``, from the first on.
        """
        words = iter(unknown)
        pieces = [
            self._named_unknown(next(words, None)) if token == self.unk_id else self._bytes[token]
            for token in self._checked(ids)
        ]
        text = b"".join(pieces).decode("utf-8", "replace")
        if self.kind == "words":
            text = re.sub(f"{AFTER_BREAK} ", "", text)
        return text.removeprefix(" ") if self.begins_with_space else text

    def _named_unknown(self, word: str | None) -> bytes:
        sign = self._bytes[self.unk_id]
        return sign if word is None else sign[: len(sign) - len(sign.lstrip())] + word.encode()

    def bytes_of(self, token: int) -> bytes:
        """What an id adds to a text; nothing for special tokens, all but ``<unk>``."""
        (checked,) = self._checked((token,))
        return self._bytes[checked]

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """A readable form of each token: ``circle``, ``ing``, ``⟨C3⟩`` for a lone byte, ``␣``, ``</s>``."""
        return [self._shown[token] for token in self._checked(ids)]

    def words(self, ids: Iterable[int]) -> list[int]:
        """For each token the index of its word in ``decode(ids).split()``; -1 for specials and for whitespace."""
        return word_of_each(self._bytes[token] for token in self._checked(ids))

    def merged_from(self) -> npt.NDArray[np.int64]:
        """The two tokens that each token was merged from, (V, 2); −1 for those that are no merge. For ``bpe`` only."""
        if self.kind != "bpe":
            raise DataError(f"only tokens of kind bpe are merged from others, not those of kind {self.kind}")
        model = json.loads(self._definition)["model"]
        ids: dict[str, int] = model["vocab"]
        parts = np.full((self.vocab_size, 2), -1, dtype=np.int64)
        for one, other in model["merges"]:
            parts[ids[one + other]] = ids[one], ids[other]
        return parts

    @cached_property
    def _shown(self) -> list[str]:
        signs = [shown(piece) for piece in self._bytes]
        for name, token in self._special_ids.items():
            signs[token] = name
        return signs

    def _checked(self, ids: Iterable[int]) -> list[int]:
        ids = [int(token) for token in ids]
        if ids and not (min(ids) >= 0 and max(ids) < self.vocab_size):
            wrong = next(token for token in ids if not 0 <= token < self.vocab_size)
            raise DataError(
                f"id {wrong:,} is not in this vocabulary of {self.vocab_size:,}: "
                "these ids come from another tokenizer; decode with the one that encoded them"
            )
        return ids


def _reading(texts: Sequence[str], encode: Callable[[], Result]) -> Result:
    """What ``encode`` gives; where the library cannot read a text, an error that names it."""
    try:
        return encode()
    except TypeError:
        for number, text in enumerate(texts, start=1):
            refuse_half_characters(text, f"text {number:,}")
        raise


def refuse_half_characters(text: str, where: str) -> None:
    """A ``str`` may hold halves of surrogate pairs, which are no characters and have no bytes."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{where} has a lone surrogate (U+{ord(text[error.start]):04X}) at character {error.start:,}, "
            "which is not Unicode text; read the file as UTF-8 and take such characters out"
        ) from error


def _kind_of(model: dict[str, object]) -> Kind:
    match model.get("type"):
        case "BPE":
            return "characters" if model.get("byte_fallback") else "bpe"
        case "WordPiece":
            return "bert" if model.get("continuing_subword_prefix") == INSIDE else "wordpiece"
        case "Unigram":
            return "unigram"
        case "WordLevel":
            return "words"
        case other:
            raise DataError(f"a tokenizer of type {other!r} is not one that train_tokenizer makes; train one anew")


def _special_ids(library: tokenizers.Tokenizer, roles: Roles) -> dict[str, int]:
    added = library.get_added_tokens_decoder()
    found = {added[token].content: token for token in sorted(added)}
    first = tuple(found)[: len(TEXT.names)]
    if roles is TEXT and (first != TEXT.names or list(found.values()) != list(range(len(found)))):
        raise DataError(
            f"the first ids must be the special tokens {', '.join(TEXT.names)}, "
            f"found {', '.join(found) or 'none'}; train a tokenizer with train_tokenizer"
        )
    missing = [name for name in roles.names if name not in found]
    if missing:
        raise DataError(f"{', '.join(missing)}: in the vocabulary, but not marked as special tokens in the file")
    return found


def _bytes_of(library: tokenizers.Tokenizer, kind: Kind, specials: Collection[int]) -> list[bytes]:
    """The bytes of every id; none for special tokens."""
    bytes_of = _PIECE_BYTES.get(kind, _byte_level)
    try:
        return [
            b"" if token in specials else bytes_of(library.id_to_token(token) or "")
            for token in range(library.get_vocab_size())
        ]
    except KeyError as error:
        raise DataError(f"{error} is not in the byte-level alphabet; train a tokenizer with train_tokenizer") from error


def _byte_level(name: str) -> bytes:
    return bytes(_ALPHABET[character] for character in name)


def _character(name: str) -> bytes:
    return _SINGLE.get(name) or name.encode()


def _word_or_inside(name: str) -> bytes:
    return name.removeprefix(INSIDE).encode() if name.startswith(INSIDE) else f" {name}".encode()


_ALPHABET = byte_alphabet()
_SINGLE = {byte_token(byte): bytes([byte]) for byte in range(256)}
_PIECE_BYTES: dict[str, Callable[[str], bytes]] = {
    "words": str.encode,
    "characters": _character,
    "bert": _word_or_inside,
}
