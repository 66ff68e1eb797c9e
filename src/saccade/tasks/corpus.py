"""A translation corpus made ready: read, cleaned, tokenizer trained, encoded to disk, and opened again.

Everything lies in one folder. ``prepared.json`` is written last: with it the folder is whole, without it all is made
anew. The same settings give the same files, byte for byte.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from saccade import scenes
from saccade.data.cleaning import DEFAULT_RULES, Cleaner, CleaningRules, is_held_out
from saccade.data.encoded import Sequences, SequenceWriter
from saccade.data.examples import Pair
from saccade.data.sources import Split, read_pairs
from saccade.data.tokenizers import Kind, Tokenizer, train_tokenizer
from saccade.errors import DataError
from saccade.files import replacing, write_text
from saccade.tasks.preparing import chunks, digest, told
from saccade.tasks.spool import PairWriter, read_spool
from saccade.tasks.translator import Tokenizers


@dataclass(frozen=True)
class CorpusSettings:
    """Where the pairs come from, what is dropped, and how they are cut into tokens."""

    train: tuple[str, ...]
    valid: str | None = None
    source: str | None = None
    target: str | None = None
    holdout: float = 0.02
    max_length: int = 250
    rules: CleaningRules = DEFAULT_RULES
    kind: Kind = "bpe"
    size: int | None = None
    shared: bool = True
    lowercase: bool = False
    first: int | None = None
    """Only this many training pairs, for a quick look; None takes all."""


@dataclass(frozen=True)
class Corpus:
    """Training pairs as memory-mapped tokens, validation pairs as text, and the tokenizers between the two."""

    source: Sequences
    target: Sequences
    valid: tuple[Pair, ...]
    tokenizers: Tokenizers


def pairs_of(
    spec: str,
    split: Split,
    *,
    source: str | None,
    target: str | None,
    rules: CleaningRules | None,
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[Pair]:
    """The clean pairs of one source, or all of them without rules; what was dropped is said at the end."""
    pairs = read_pairs(spec, split=split, source=source, target=target, schemes={"scenes": scenes.read_pairs})
    if rules is None:
        yield from pairs
        return
    cleaner = Cleaner(pairs, rules)
    yield from cleaner
    say(f"{split}: {spec}: {cleaner.report.sentence()}")


def prepare(
    folder: Path,
    tokenizers: Path,
    settings: CorpusSettings,
    say: Callable[[str], None],
    *,
    given: Tokenizers | None = None,
) -> None:
    """Makes the corpus in ``folder`` and ``tokenizer*.json`` in ``tokenizers``, unless that was done before.

    With ``given`` tokenizers no new ones are trained.
    """
    done = folder / "prepared.json"
    if done.exists():
        return
    folder.mkdir(exist_ok=True)
    spool, held = folder / "train.jsonl", folder / "valid.jsonl"
    _spool(spool, held, settings, say)
    made = given or _train_tokenizers(spool, settings, say)
    say(_vocabulary_sentence(made))
    if given is None:
        save_tokenizers(tokenizers, made)
    encoded = _encode(spool, folder, made, settings, say)
    spool.unlink()
    write_text(done, json.dumps({"pairs": encoded, "valid": digest(held)}) + "\n")


def open_corpus(folder: Path, tokenizers: Path) -> Corpus:
    """A prepared corpus, after everything in it was found as it was written."""
    source, target = Sequences.open(folder / "train.source"), Sequences.open(folder / "train.target")
    source.verify()
    target.verify()
    held, done = folder / "valid.jsonl", folder / "prepared.json"
    if not held.exists() or json.loads(done.read_text(encoding="utf-8"))["valid"] != digest(held):
        raise DataError(f"{held} was changed or removed after it was written")
    return Corpus(source, target, tuple(read_spool(held)), load_tokenizers(tokenizers))


def save_tokenizers(folder: Path, tokenizers: Tokenizers) -> None:
    """``tokenizer.json``, or one file for each side."""
    if tokenizers.source is tokenizers.target:
        named = {"tokenizer.json": tokenizers.source}
    else:
        named = {"tokenizer.source.json": tokenizers.source, "tokenizer.target.json": tokenizers.target}
    for name, tokenizer in named.items():
        with replacing(folder / name) as new:
            tokenizer.save(new)


def load_tokenizers(folder: Path) -> Tokenizers:
    if (folder / "tokenizer.json").exists():
        shared = Tokenizer.load(folder / "tokenizer.json")
        return Tokenizers(shared, shared)
    return Tokenizers(
        Tokenizer.load(folder / "tokenizer.source.json"), Tokenizer.load(folder / "tokenizer.target.json")
    )


def _spool(spool: Path, held: Path, settings: CorpusSettings, say: Callable[[str], None]) -> None:
    """Writes the clean training pairs, and the validation pairs: those of their own source, or some held out."""

    def cleaned(spec: str, split: Split) -> Iterator[Pair]:
        return pairs_of(spec, split, source=settings.source, target=settings.target, rules=settings.rules, say=say)

    with PairWriter(spool) as train, PairWriter(held) as valid:
        for spec in settings.train:
            pairs = cleaned(spec, "train")
            for pair in told(islice(pairs, settings.first), f"train: {spec}: read", "pairs", say):
                out = settings.valid is None and is_held_out(pair, settings.holdout)
                (valid if out else train).add(pair)
            if next(pairs, None) is not None:
                say(f"train: {spec}: only the first {settings.first:,} pairs were looked at; there are more")
        if settings.valid is not None:
            for pair in cleaned(settings.valid, "valid"):
                valid.add(pair)
    share = settings.holdout
    while settings.valid is None and not valid.count and share < 0.5:  # so few pairs that the share caught none
        share *= 2
        rest = spool.with_name("rest.jsonl")
        with PairWriter(rest) as train, PairWriter(held) as valid:
            for pair in read_spool(spool):
                (valid if is_held_out(pair, share) else train).add(pair)
        rest.replace(spool)
    if settings.valid is None:
        say(f"valid: {valid.count:,} pairs held out of train ({share:.0%} by the hash of their source)")
    for name, count in (("train", train.count), ("validate on", valid.count)):
        if count == 0:
            raise DataError(
                f"{', '.join(settings.train)}: no pair is left to {name}: give more pairs, raise data.holdout "
                f"({settings.holdout:g}) or name a file in data.valid"
            )


def _train_tokenizers(spool: Path, settings: CorpusSettings, say: Callable[[str], None]) -> Tokenizers:
    def pairs() -> Iterator[Pair]:
        return told(read_spool(spool), "tokenizer: read", "pairs", say)

    def trained(texts: Iterator[str]) -> Tokenizer:
        return train_tokenizer(texts, kind=settings.kind, size=settings.size, lowercase=settings.lowercase)

    if settings.shared:
        both = trained(text for pair in pairs() for text in (pair.source, pair.target))
        return Tokenizers(both, both)
    return Tokenizers(trained(pair.source for pair in pairs()), trained(pair.target for pair in pairs()))


def _vocabulary_sentence(made: Tokenizers) -> str:
    if made.source is made.target:
        return f"tokenizer: {made.source.kind}, {made.source.vocab_size:,} tokens for both languages"
    return (
        f"tokenizer: {made.source.kind}, {made.source.vocab_size:,} tokens for the source, "
        f"{made.target.vocab_size:,} for the target"
    )


def _encode(spool: Path, folder: Path, made: Tokenizers, settings: CorpusSettings, say: Callable[[str], None]) -> int:
    """Writes the pairs as tokens; those with too many are dropped, counted and said."""
    read = dropped = 0
    first = ""
    with (
        SequenceWriter(folder / "train.source", made.source.vocab_size) as source,
        SequenceWriter(folder / "train.target", made.target.vocab_size) as target,
    ):
        for chunk in chunks(told(read_spool(spool), "train: encoded", "pairs", say)):
            ids = zip(
                made.source.encode_batch([pair.source for pair in chunk]),
                made.target.encode_batch([pair.target for pair in chunk]),
                strict=True,
            )
            for pair, (source_ids, target_ids) in zip(chunk, ids, strict=True):
                read += 1
                if max(len(source_ids), len(target_ids)) > settings.max_length:
                    dropped += 1
                    first = first or pair.where
                    continue
                source.append(source_ids)
                target.append(target_ids)
    if dropped:
        say(f"train: dropped {dropped:,} pairs longer than {settings.max_length} tokens (first: {first})")
    if dropped == read:
        raise DataError(f"every pair is longer than data.max_length, {settings.max_length} tokens: raise it")
    return read - dropped
