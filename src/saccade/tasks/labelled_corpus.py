"""Labelled texts made ready: read, labels found, tokenizer trained, encoded to disk, and opened again.

As with other corpora everything lies in one folder and ``prepared.json`` is written last. ``train.first`` holds the
tokens of each text, ``train.second`` those of its second text, which may be empty, ``train.answers`` what is to be
said: one label's number for a text; the bits of a float32 where it is a number; for a sentence to be tagged one answer
for each token, 1 + the number of the tag where a word begins, 0 where it goes on.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from saccade.data.encoded import Sequences, SequenceWriter
from saccade.data.examples import Labelled, Tagged
from saccade.data.sources import (
    Columns,
    LabelSet,
    Split,
    TagKind,
    found_labels,
    found_tags,
    number_of,
    read_labelled,
    read_tagged,
)
from saccade.data.tokenizers import Kind, Tokenizer, train_tokenizer
from saccade.files import write_text
from saccade.tasks.corpus import load_tokenizers, save_tokenizers
from saccade.tasks.parting import Say, Sources, Spooled, spool
from saccade.tasks.preparing import check_unchanged, chunks, digest, told
from saccade.tasks.spool import LabelledWriter, read_labelled_spool
from saccade.tasks.translator import Tokenizers

Answer = Literal["label", "number", "tags"]
Example = Labelled | Tagged

FLOAT_BITS = 1 << 32
CUSTOMARY = Columns()


@dataclass(frozen=True, kw_only=True)
class LabelledSettings(Sources):
    """Where the examples come from, what is to be said of them, and how they are cut into tokens."""

    answer: Answer
    columns: Columns = CUSTOMARY
    tags: TagKind = "entities"
    kind: Kind = "bert"
    size: int | None = None
    lowercase: bool = False


@dataclass(frozen=True)
class LabelledCorpus:
    """Training examples as memory-mapped tokens and answers, validation examples as text, tokenizer and labels."""

    first: Sequences
    second: Sequences
    answers: Sequences
    valid: tuple[Example, ...]
    tokenizers: Tokenizers

    @property
    def tokenizer(self) -> Tokenizer:
        return self.tokenizers.target


def examples_of(spec: str, split: Split, settings: LabelledSettings) -> Iterator[Example]:
    """The examples of one source."""
    if settings.answer == "tags":
        return read_tagged(spec, tags=settings.tags)
    return read_labelled(spec, split=split, columns=settings.columns)


def prepare_labelled(
    folder: Path, tokenizers: Path, settings: LabelledSettings, say: Say, *, given: Tokenizer | None = None
) -> None:
    """Makes the corpus in ``folder``, ``tokenizer.json`` and ``labels.json`` in ``tokenizers``, unless that was done.

    With a ``given`` tokenizer no new one is trained.
    """
    done = folder / "prepared.json"
    if done.exists():
        return
    folder.mkdir(exist_ok=True)
    train, held = folder / "train.jsonl", folder / "valid.jsonl"
    partly = spool(train, held, settings, lambda spec, split: examples_of(spec, split, settings), EXAMPLES, say)
    labels = _labels(train, settings)
    for example in read_labelled_spool(held):
        answers_of(example, labels, settings.answer)  # an unknown label is told before anything is trained
    made = given or train_tokenizer(
        (text for example in read_labelled_spool(train) for text in _texts(example)),
        kind=settings.kind,
        size=settings.size,
        lowercase=settings.lowercase,
        part=partly,
    )
    say(f"tokenizer: {made.kind}, {made.vocab_size:,} tokens")
    if labels.names:
        say(f"labels: {labels.shown}")
    save_tokenizers(tokenizers, Tokenizers(made, made, labels.names))
    vocabulary = FLOAT_BITS if settings.answer == "number" else len(labels.names) + 1
    with (
        SequenceWriter(folder / "train.first", made.vocab_size) as first,
        SequenceWriter(folder / "train.second", made.vocab_size) as second,
        SequenceWriter(folder / "train.answers", vocabulary) as answers,
    ):
        for chunk in chunks(told(read_labelled_spool(train), "train: encoded", "examples", say)):
            one, other, said = zip(*(encoded(example, labels, made, settings.answer) for example in chunk), strict=True)
            first.extend(one)
            second.extend(other)
            answers.extend(said)
    train.unlink()
    write_text(done, json.dumps({"examples": first.count, "valid": digest(held)}) + "\n")


def open_labelled_corpus(folder: Path, tokenizers: Path) -> LabelledCorpus:
    """A prepared corpus, after everything in it was found as it was written."""
    first, second, answers = (Sequences.open(folder / f"train.{name}") for name in ("first", "second", "answers"))
    for part in (first, second, answers):
        part.verify()
    held = folder / "valid.jsonl"
    check_unchanged(held, json.loads((folder / "prepared.json").read_text(encoding="utf-8"))["valid"])
    return LabelledCorpus(first, second, answers, tuple(read_labelled_spool(held)), load_tokenizers(tokenizers))


def encoded(
    example: Example, labels: LabelSet, tokenizer: Tokenizer, answer: Answer
) -> tuple[list[int], list[int], list[int]]:
    """The tokens of both texts and the answers."""
    said = answers_of(example, labels, answer)
    if isinstance(example, Tagged):
        pieces = word_pieces(tokenizer, example.words)
        tokens = [token for word in pieces for token in word]
        begun = [mark for word, tag in zip(pieces, said, strict=True) for mark in (1 + tag, *[0] * (len(word) - 1))]
        return tokens, [], begun
    texts = tokenizer.encode_batch(list(_texts(example)))
    return texts[0], texts[1] if len(texts) > 1 else [], said


def answers_of(example: Example, labels: LabelSet, answer: Answer) -> list[int]:
    """The number of the label or of each tag, or the bits of a number."""
    if isinstance(example, Tagged):
        return [labels.number(tag, example.where) for tag in example.tags]
    if answer == "number":
        return [int(np.float32(number_of(example)).view(np.uint32))]
    return [labels.number(example.label, example.where)]


def word_pieces(tokenizer: Tokenizer, words: Sequence[str]) -> list[list[int]]:
    """The tokens of each word for itself, at least one: a word of nothing that the tokenizer knows is unknown."""
    return [ids or [tokenizer.unk_id] for ids in tokenizer.encode_batch(words)]


def _texts(example: Example) -> tuple[str, ...]:
    if isinstance(example, Tagged):
        return (" ".join(example.words),)
    return (example.text,) if example.second is None else (example.text, example.second)


EXAMPLES = Spooled("example", LabelledWriter, read_labelled_spool, lambda example: " ".join(_texts(example)))


def _labels(spooled: Path, settings: LabelledSettings) -> LabelSet:
    shown = ", ".join(settings.train)
    examples: Iterable[Example] = read_labelled_spool(spooled)
    if settings.answer == "number":
        return LabelSet(())
    if settings.answer == "tags":
        return found_tags((one for one in examples if isinstance(one, Tagged)), shown, tags=settings.tags)
    return found_labels((one for one in examples if isinstance(one, Labelled)), shown)
