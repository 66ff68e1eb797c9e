"""Train a tokenizer on texts.

``bpe``, ``wordpiece`` and ``unigram`` work on the 256 bytes, so that no text is ever unknown. A word takes the space
before it along, and a text gets one space in front, so that a word is the same token at the start and in the middle.
``wordpiece`` needs no mark on the pieces inside a word, since the space marks where a word begins; the library learns
its pieces as BPE does and only cuts differently, longest piece first. ``unigram`` as the library trains it considers
only strings that occur in two different words, so that it makes somewhat more tokens of a text than the others.
``bert`` is WordPiece as BERT has it, known to every other toolkit: words and signs are parted first, a piece that goes
on with a word begins with ##, a character that the training text has not makes its word ``[UNK]``, and lower-casing
takes accents off as well.
``characters`` holds the characters of the training text and the 256 bytes for all others. ``words`` holds words
(letters and digits, with hyphens and apostrophes inside), single signs and whitespace.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from saccade.data.tokenizers.pieces import WHITESPACE, byte_alphabet, byte_token
from saccade.data.tokenizers.roles import BERT, TEXT
from saccade.data.tokenizers.tokenizer import AFTER_BREAK, INSIDE, Kind, Tokenizer, refuse_half_characters
from saccade.errors import DataError

DEFAULT_SIZE = 8_000
LONGEST_WORD = 100  # characters; BERT takes a longer one for unknown
_TOGETHER = 1_000
_LEAST_COUNT = 2  # a piece that occurs once in the text teaches nothing

# At most 64 characters each, so that no endless run of letters makes training or encoding slow.
_BYTE_LEVEL_WORDS = " ?[\\p{L}\\p{M}]{1,64}| ?\\p{N}{1,64}| ?[^\\s\\p{L}\\p{M}\\p{N}]{1,64}|\\s{1,64}(?!\\S)|\\s{1,64}"

_IN_WORD = "[\\p{L}\\p{M}\\p{N}]"
_WORDS = f" ?{_IN_WORD}+(?:[-'’]{_IN_WORD}+)*| ?[^{WHITESPACE}]|[{WHITESPACE}]"

# Letters right after the bracket: words, signs and brackets are parted before the vocabulary is asked, so that
# no text can ever be looked up as a special token.
_SPECIAL = re.compile(r"</?[A-Za-z0-9][A-Za-z0-9_-]*>")


def train_tokenizer(
    texts: Iterable[str],
    *,
    kind: Kind = "bpe",
    size: int | None = None,
    lowercase: bool = False,
    specials: Sequence[str] = (),
    part: bool = False,
) -> Tokenizer:
    """A tokenizer with a vocabulary of ``size``, special tokens included; the same texts give the same tokenizer.

    Without ``size`` it takes 8,000 or what the text allows, whichever is smaller; ``characters`` takes all characters.
    Texts that allow less than ``size`` are an error, unless they are only a ``part`` of those that are meant.
    ``specials`` are further special tokens such as ``<2de>``; their ids follow those of the first four.
    """
    trainer = _Training(kind=kind, size=size, lowercase=lowercase, specials=specials, part=part)
    return trainer.run(texts)


class _Training:
    def __init__(self, *, kind: Kind, size: int | None, lowercase: bool, specials: Sequence[str], part: bool) -> None:
        self.kind = kind
        self.size = size
        self.part = part
        self.lowercase = lowercase
        self.specials = _all_specials(specials, (BERT if kind == "bert" else TEXT).names)
        self.alphabet = {"words": len(WHITESPACE), "bert": 0}.get(kind, 256)
        self.lower = [normalizers.Lowercase()] if lowercase else []
        least = len(self.specials) + self.alphabet + (kind in ("words", "bert"))
        if size is not None and size < least:
            raise DataError(
                f"tokenizer.size {size:,}: a vocabulary of kind {kind} needs at least {least:,} "
                f"({self._base()}); raise tokenizer.size or leave it out"
            )

    def run(self, texts: Iterable[str]) -> Tokenizer:
        library = self._train(_not_empty(texts))
        found = library.get_vocab_size()
        if self.size is not None and found < self.size and not self.part:
            rest = found - len(self.specials) - self.alphabet
            raise DataError(
                f"tokenizer.size {self.size:,}: this text allows at most {found:,} ({self._base()}, {rest:,} "
                f"{self._learned()}); leave tokenizer.size out to take what the text allows"
            )
        return Tokenizer(library.to_str(pretty=True))

    def _wanted(self) -> int:
        return DEFAULT_SIZE if self.size is None else self.size

    def _base(self) -> str:
        if self.kind == "bert":
            return f"{len(self.specials)} special tokens"
        alphabet = "kinds of whitespace" if self.kind == "words" else "bytes"
        return f"{len(self.specials)} special tokens, {self.alphabet} {alphabet}"

    def _learned(self) -> str:
        match self.kind:
            case "words":
                return "words and signs"
            case "characters":
                return "characters"
            case "unigram":
                return "pieces worth keeping"
            case _:
                return f"pieces that occur at least {_LEAST_COUNT} times"

    def _train(self, texts: Iterator[str]) -> tokenizers.Tokenizer:
        match self.kind:
            case "characters":
                return self._characters(texts)
            case "words":
                return self._words(texts)
            case "bert":
                return self._bert(texts)
            case _:
                return self._byte_level(texts)

    def _byte_level(self, texts: Iterator[str]) -> tokenizers.Tokenizer:
        library = tokenizers.Tokenizer(self._untrained())
        library.normalizer = normalizers.Sequence([*self.lower, normalizers.Prepend(" ")])
        library.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(tokenizers.Regex(_BYTE_LEVEL_WORDS), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        library.decoder = decoders.Sequence([decoders.ByteLevel(), decoders.Strip(" ", 1, 0)])
        library.train_from_iterator(texts, self._trainer())
        if self.kind == "unigram":
            library.model = _settled(library, self.specials, self._wanted())
        return library

    def _bert(self, texts: Iterator[str]) -> tokenizers.Tokenizer:
        """The library numbers what may stand inside a word in the order of a hash table: it is told them beforehand."""
        library = bert_library({}, lowercase=self.lowercase)
        counts = Counter[str]()
        for text in texts:
            normal = library.normalizer.normalize_str(text)
            counts.update(word for word, _ in library.pre_tokenizer.pre_tokenize_str(normal))
        known = [*self.specials, *sorted({INSIDE + character for word in counts for character in word[1:]})]
        least = len({*known, *(character for word in counts for character in word)})
        if self._wanted() < least:
            raise DataError(
                f"tokenizer.size {self._wanted():,}: this text has so many characters that kind bert needs at least "
                f"{least:,}; raise tokenizer.size"
            )
        trainer = trainers.WordPieceTrainer(
            vocab_size=self._wanted(),
            min_frequency=_LEAST_COUNT,
            special_tokens=known,
            continuing_subword_prefix=INSIDE,
            show_progress=False,
        )
        library.train_from_iterator(_repeated(counts), trainer)
        trained = bert_library(library.get_vocab(), lowercase=self.lowercase)
        trained.add_special_tokens(self.specials)
        return trained

    def _untrained(self) -> models.Model:
        match self.kind:
            case "wordpiece":
                return models.WordPiece(unk_token="<unk>", continuing_subword_prefix="", max_input_chars_per_word=1_000)
            case "unigram":
                return models.Unigram()
            case _:
                return models.BPE()

    def _trainer(self) -> trainers.Trainer:
        size = self._wanted()
        alphabet = sorted(byte_alphabet())
        match self.kind:
            case "wordpiece":
                return trainers.WordPieceTrainer(
                    vocab_size=size,
                    min_frequency=_LEAST_COUNT,
                    special_tokens=self.specials,
                    initial_alphabet=alphabet,
                    continuing_subword_prefix="",
                    show_progress=False,
                )
            case "unigram":
                return trainers.UnigramTrainer(
                    vocab_size=size,
                    special_tokens=self.specials,
                    initial_alphabet=alphabet,
                    unk_token="<unk>",
                    show_progress=False,
                )
            case _:
                return trainers.BpeTrainer(
                    vocab_size=size,
                    min_frequency=_LEAST_COUNT,
                    special_tokens=self.specials,
                    initial_alphabet=alphabet,
                    show_progress=False,
                )

    def _characters(self, texts: Iterator[str]) -> tokenizers.Tokenizer:
        normalizer = normalizers.Sequence(self.lower)
        counts = Counter[str]()
        for text in texts:
            counts.update(normalizer.normalize_str(text))
        single = [byte_token(byte) for byte in range(256)]
        vocabulary = self._vocabulary(single, _by_frequency(counts), self.size)
        library = tokenizers.Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>", byte_fallback=True))
        library.normalizer = normalizer
        library.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
        library.add_special_tokens(self.specials)
        return library

    def _words(self, texts: Iterator[str]) -> tokenizers.Tokenizer:
        after_break = tokenizers.Regex(AFTER_BREAK)
        normalizer = normalizers.Sequence(
            [*self.lower, normalizers.Prepend(" "), normalizers.Replace(after_break, " ")]
        )
        pre_tokenizer = pre_tokenizers.Split(tokenizers.Regex(_WORDS), "isolated")
        counts = Counter[str]()
        for text in texts:
            counts.update(word for word, _ in pre_tokenizer.pre_tokenize_str(normalizer.normalize_str(text)))
        words = [word for word in _by_frequency(counts) if word not in WHITESPACE]
        if not words:
            raise DataError("no words to train a tokenizer on: every text is blank; check data.train")
        vocabulary = self._vocabulary(list(WHITESPACE), words, self._wanted())
        library = tokenizers.Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
        library.normalizer = normalizer
        library.pre_tokenizer = pre_tokenizer
        library.decoder = decoders.Sequence(
            [
                decoders.Replace(tokenizers.Regex("^<unk>$"), " <unk>"),
                decoders.Fuse(),
                decoders.Replace(tokenizers.Regex(f"{AFTER_BREAK} "), ""),
                decoders.Strip(" ", 1, 0),
            ]
        )
        library.add_special_tokens(self.specials)
        return library

    def _vocabulary(self, alphabet: list[str], learned: list[str], size: int | None) -> dict[str, int]:
        return {token: place for place, token in enumerate([*self.specials, *alphabet, *learned][:size])}


def bert_library(vocabulary: dict[str, int], *, lowercase: bool) -> tokenizers.Tokenizer:
    """BERT's own way to cut a text, with these pieces."""
    model = models.WordPiece(
        vocabulary, unk_token=BERT.unk, continuing_subword_prefix=INSIDE, max_input_chars_per_word=LONGEST_WORD
    )
    library = tokenizers.Tokenizer(model)
    library.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece(prefix=INSIDE)
    return library


def _settled(library: tokenizers.Tokenizer, specials: list[str], size: int) -> models.Unigram:
    """The trained unigram model without what the library leaves to chance, and of no more than ``size``.

    The library sums in the order of a hash table, which differs from run to run in the fourteenth digit, and gives the
    bytes it has no use for scores in that same order, in steps of 1e-4 up from the least score. Hence: scores are
    rounded, unused bytes share the least score, and equal scores are put in the order of their pieces.
    """
    alphabet = byte_alphabet()
    trained: list[tuple[str, float]] = json.loads(library.to_str())["model"]["vocab"]
    scores = {piece: score for piece, score in trained if piece not in specials}
    least = min(scores.values())
    unused = least + 1e-4 * (len(alphabet) + 1)
    settled = {
        piece: round(least if piece in alphabet and score <= unused else score, 4) for piece, score in scores.items()
    }
    order = sorted(settled, key=lambda piece: (-settled[piece], piece))
    longer = [piece for piece in order if piece not in alphabet][: size - len(specials) - len(alphabet)]
    kept = alphabet.keys() | set(longer)
    vocabulary = [(special, 0.0) for special in specials]
    vocabulary.extend((piece, settled[piece]) for piece in order if piece in kept)
    return models.Unigram(vocabulary, unk_id=specials.index("<unk>"))


def _repeated(counts: Counter[str]) -> Iterator[str]:
    """Every word as often as it was counted, in texts of bounded length."""
    for word in _by_frequency(counts):
        for start in range(0, counts[word], _TOGETHER):
            yield " ".join([word] * min(_TOGETHER, counts[word] - start))


def _by_frequency(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda token: (-counts[token], token))


def _all_specials(extra: Sequence[str], first: Sequence[str]) -> list[str]:
    specials = [*first, *extra]
    for special in extra:
        if not _SPECIAL.fullmatch(special):
            raise DataError(
                f"special token {special!r}: expected letters, digits, _ or - in angle brackets, as in <2de>"
            )
        if specials.count(special) > 1:
            raise DataError(f"special token {special}: given more than once; each special token needs its own name")
    return specials


def _not_empty(texts: Iterable[str]) -> Iterator[str]:
    """The texts that are not empty, checked; an error at the end if there were none."""
    number = found = 0
    for number, text in enumerate(texts, start=1):
        refuse_half_characters(text, f"text {number:,}")
        if text:
            found += 1
            yield text
    if not found:
        raise DataError(
            f"no text to train a tokenizer on: {number:,} texts, all of them empty; check data.train"
            if number
            else "no text to train a tokenizer on: the source gave none; check data.train"
        )
