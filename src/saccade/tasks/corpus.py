"""A translation corpus made ready: read, cleaned, tokenizer trained, encoded to disk, and opened again.

Everything lies in one folder. ``prepared.json`` is written last: with it the folder is whole, without it all is made
anew. The same settings give the same files, byte for byte.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from saccade import scenes
from saccade.data.cleaning import DEFAULT_RULES, Cleaner, CleaningRules
from saccade.data.encoded import Sequences, SequenceWriter
from saccade.data.examples import Direction, Pair
from saccade.data.sources import Split, languages, read_pairs
from saccade.data.tags import direction_of, tag_of
from saccade.data.tokenizers import Kind, Tokenizer, train_tokenizer
from saccade.errors import DataError
from saccade.files import replacing, write_text
from saccade.tasks.parting import Sources, Spooled, spool
from saccade.tasks.preparing import check_unchanged, chunks, digest, told
from saccade.tasks.spool import PairWriter, read_spool
from saccade.tasks.translator import Tokenizers

Tag = Literal["target"]

LABELS = "labels.json"
PAIRS = Spooled("pair", PairWriter, read_spool, lambda pair: pair.source)


@dataclass(frozen=True, kw_only=True)
class CorpusSettings(Sources):
    """Where the pairs come from, what is dropped, and how they are cut into tokens."""

    source: str | None = None
    target: str | None = None
    tag: Tag | None = None
    max_length: int = 250
    rules: CleaningRules = DEFAULT_RULES
    kind: Kind = "bpe"
    size: int | None = None
    shared: bool = True
    lowercase: bool = False

    @property
    def languages(self) -> tuple[str, ...]:
        """The target languages to tag sources with, in the order of the training data; none without ``tag``."""
        if self.tag is None:
            return ()
        return tuple(dict.fromkeys(self.direction(spec).target for spec in self.train))

    def direction(self, spec: str) -> Direction:
        return direction_of(spec, source=self.source, target=self.target)


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
    tag: Tag | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[Pair]:
    """The clean pairs of one source, or all of them without rules; what was dropped is said at the end.

    With ``tag`` every pair knows its direction, and ``source`` and ``target`` are for data that does not name its own.
    """
    direction = None if tag is None else direction_of(spec, source=source, target=target)
    if tag is not None and languages(spec).target is not None:
        source = target = None
    pairs = read_pairs(spec, split=split, source=source, target=target, schemes={"scenes": scenes.read_pairs})
    cleaner = None if rules is None else Cleaner(pairs, rules)
    for pair in cleaner or pairs:
        yield pair if direction is None else replace(pair, direction=direction)
    if cleaner is not None:
        say(f"{split}: {spec}: {cleaner.report.sentence()}")


def in_turn(pairs: Iterable[Pair]) -> list[Pair]:
    """One pair of each direction after another, so that the first few are of all; otherwise in their order."""
    directions: defaultdict[Direction | None, list[Pair]] = defaultdict(list)
    for pair in pairs:
        directions[pair.direction].append(pair)
    return [pair for together in zip_longest(*directions.values()) for pair in together if pair is not None]


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
    _check_tags(settings, given)
    folder.mkdir(exist_ok=True)
    train, held = folder / "train.jsonl", folder / "valid.jsonl"
    partly = spool(train, held, settings, lambda spec, split: _cleaned(spec, split, settings, say), PAIRS, say)
    made = given or _train_tokenizers(train, settings, say, part=partly)
    say(_vocabulary_sentence(made))
    if given is None:
        save_tokenizers(tokenizers, made)
    encoded = _encode(train, folder, made, settings, say)
    train.unlink()
    write_text(done, json.dumps({"pairs": encoded, "valid": digest(held)}) + "\n")


def open_corpus(folder: Path, tokenizers: Path) -> Corpus:
    """A prepared corpus, after everything in it was found as it was written."""
    source, target = Sequences.open(folder / "train.source"), Sequences.open(folder / "train.target")
    source.verify()
    target.verify()
    held = folder / "valid.jsonl"
    check_unchanged(held, json.loads((folder / "prepared.json").read_text(encoding="utf-8"))["valid"])
    return Corpus(source, target, tuple(in_turn(read_spool(held))), load_tokenizers(tokenizers))


def save_tokenizers(folder: Path, tokenizers: Tokenizers) -> None:
    """``tokenizer.json``, or one file for each side."""
    if tokenizers.source is tokenizers.target:
        named = {"tokenizer.json": tokenizers.source}
    else:
        named = {"tokenizer.source.json": tokenizers.source, "tokenizer.target.json": tokenizers.target}
    for name, tokenizer in named.items():
        with replacing(folder / name) as new:
            tokenizer.save(new)
    if tokenizers.labels:
        write_text(folder / LABELS, json.dumps(tokenizers.labels, ensure_ascii=False, indent=1) + "\n")


def load_tokenizers(folder: Path) -> Tokenizers:
    labels = folder / LABELS
    names = tuple(json.loads(labels.read_text(encoding="utf-8"))) if labels.exists() else ()
    if (folder / "tokenizer.json").exists():
        shared = Tokenizer.load(folder / "tokenizer.json")
        return Tokenizers(shared, shared, names)
    return Tokenizers(
        Tokenizer.load(folder / "tokenizer.source.json"), Tokenizer.load(folder / "tokenizer.target.json"), names
    )


def _check_tags(settings: CorpusSettings, given: Tokenizers | None) -> None:
    """Before any source is read: with ``tag`` each names a language that there is a tag for."""
    known = settings.languages if given is None else given.languages
    if settings.tag is None and known:
        raise DataError(f"the model to go on from knows tags for {', '.join(known)}: set data.tag to target as it did")
    if settings.tag is not None and not known:
        raise DataError("the model to go on from knows no tags: leave data.tag out, or begin anew")
    for spec in (*settings.train, *settings.valid) if known else ():
        if (language := settings.direction(spec).target) not in known:
            whose = "data.train translates" if given is None else "the model to go on from translates"
            raise DataError(f"{spec} translates into {language}, but {whose} only into {', '.join(known)}")


def _cleaned(spec: str, split: Split, settings: CorpusSettings, say: Callable[[str], None]) -> Iterator[Pair]:
    return pairs_of(
        spec,
        split,
        source=settings.source,
        target=settings.target,
        rules=settings.rules,
        tag=settings.tag,
        say=say,
    )


def _train_tokenizers(spooled: Path, settings: CorpusSettings, say: Callable[[str], None], *, part: bool) -> Tokenizers:
    def pairs() -> Iterator[Pair]:
        return told(read_spool(spooled), "tokenizer: read", "pairs", say)

    def trained(texts: Iterator[str], specials: Sequence[str] = ()) -> Tokenizer:
        return train_tokenizer(
            texts,
            kind=settings.kind,
            size=settings.size,
            lowercase=settings.lowercase,
            specials=specials,
            part=part,
        )

    tags = [tag_of(language) for language in settings.languages]
    if settings.shared:
        both = trained((text for pair in pairs() for text in (pair.source, pair.target)), tags)
        return Tokenizers(both, both)
    return Tokenizers(trained((pair.source for pair in pairs()), tags), trained(pair.target for pair in pairs()))


def _vocabulary_sentence(made: Tokenizers) -> str:
    tags = f", tags for {', '.join(made.languages)}" if made.languages else ""
    if made.source is made.target:
        which = "all" if made.languages else "both"
        return f"tokenizer: {made.source.kind}, {made.source.vocab_size:,} tokens for {which} languages{tags}"
    return (
        f"tokenizer: {made.source.kind}, {made.source.vocab_size:,} tokens for the source, "
        f"{made.target.vocab_size:,} for the target{tags}"
    )


def _encode(spooled: Path, folder: Path, made: Tokenizers, settings: CorpusSettings, say: Callable[[str], None]) -> int:
    """Writes the pairs as tokens; those with too many are dropped, counted and said."""
    read = dropped = 0
    first = ""
    with (
        SequenceWriter(folder / "train.source", made.source.vocab_size) as source,
        SequenceWriter(folder / "train.target", made.target.vocab_size) as target,
    ):
        for chunk in chunks(told(read_spool(spooled), "train: encoded", "pairs", say)):
            ids = zip(
                made.read([pair.source for pair in chunk], [pair.into for pair in chunk]),
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
