"""A trained tokenizer: encode, decode, and say which piece and which word each id is."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
import tokenizers

from saccade.data.tokenizers.pieces import SPACE, WHITESPACE, byte_alphabet, byte_token, shown, word_of_each
from saccade.errors import DataError

Kind = Literal["bpe", "wordpiece", "unigram", "characters", "words"]

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>")
"""Always the first four ids of every vocabulary."""

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
    of the text is in the vocabulary; an unknown word becomes ``<unk>``: that is the nature of this kind.

    Encoding never adds ``<s>`` or ``</s>`` and never cuts; a text that spells a special token is ordinary text.
    """

    pad_id: ClassVar[int] = 0
    bos_id: ClassVar[int] = 1
    eos_id: ClassVar[int] = 2
    unk_id: ClassVar[int] = 3

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
        self.kind: Kind = _kind_of(json.loads(definition)["model"])
        self.specials: tuple[str, ...] = _specials_of(self._library)
        self._bytes = _bytes_of(self._library, self.kind, len(self.specials))

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

    def id_of(self, special: str) -> int:
        """The id of a special token, such as a language tag given when training."""
        if special not in self.specials:
            raise DataError(f"{special!r} is not a special token of this tokenizer; it has {', '.join(self.specials)}")
        return self.specials.index(special)

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
        if self.kind == "characters" or self._bytes[ids[place]] != SPACE:
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
            self._bytes[token].replace(b"<unk>", next(words, "<unk>").encode())
            if token == self.unk_id
            else self._bytes[token]
            for token in self._checked(ids)
        ]
        text = b"".join(pieces).decode("utf-8", "replace")
        if self.kind == "words":
            text = re.sub(f"{AFTER_BREAK} ", "", text)
        return text if self.kind == "characters" else text.removeprefix(" ")

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
        return [*self.specials, *(shown(piece) for piece in self._bytes[len(self.specials) :])]

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
            return "wordpiece"
        case "Unigram":
            return "unigram"
        case "WordLevel":
            return "words"
        case other:
            raise DataError(f"a tokenizer of type {other!r} is not one that train_tokenizer makes; train one anew")


def _specials_of(library: tokenizers.Tokenizer) -> tuple[str, ...]:
    added = library.get_added_tokens_decoder()
    specials = tuple(added[token].content for token in sorted(added))
    if specials[: len(SPECIALS)] != SPECIALS or sorted(added) != list(range(len(added))):
        raise DataError(
            f"the first ids must be the special tokens {', '.join(SPECIALS)}, "
            f"found {', '.join(specials) or 'none'}; train a tokenizer with train_tokenizer"
        )
    return specials


def _bytes_of(library: tokenizers.Tokenizer, kind: Kind, specials: int) -> list[bytes]:
    """The bytes of every id; none for special tokens, but ``<unk>`` is shown for what it is."""
    names = [library.id_to_token(token) or "" for token in range(specials, library.get_vocab_size())]
    pieces = [b""] * specials
    pieces[Tokenizer.unk_id] = b" <unk>" if kind == "words" else b"<unk>"
    if kind == "words":
        return [*pieces, *(name.encode() for name in names)]
    if kind == "characters":
        single = {byte_token(byte): bytes([byte]) for byte in range(256)}
        return [*pieces, *(single.get(name) or name.encode() for name in names)]
    alphabet = byte_alphabet()
    try:
        return [*pieces, *(bytes(alphabet[character] for character in name) for name in names)]
    except KeyError as error:
        raise DataError(f"{error} is not in the byte-level alphabet; train a tokenizer with train_tokenizer") from error
