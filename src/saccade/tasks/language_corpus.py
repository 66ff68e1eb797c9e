"""A text made ready for a language model: read, tokenizer trained, encoded to disk, and opened again.

Everything lies in one folder, as with a corpus of pairs: ``prepared.json`` is written last, and the same settings give
the same files, byte for byte. Every document is kept whole, with the end mark behind its tokens.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from saccade import scenes
from saccade.data.cleaning import is_text_held_out
from saccade.data.encoded import Sequences, SequenceWriter
from saccade.data.examples import Document
from saccade.data.sentences import Sentences
from saccade.data.sources import Borders, Split, read_documents
from saccade.data.tokenizers import Kind, Tokenizer, train_tokenizer
from saccade.errors import DataError
from saccade.files import write_text
from saccade.tasks.corpus import load_tokenizers, save_tokenizers
from saccade.tasks.preparing import chunks, digest, told
from saccade.tasks.spool import DocumentWriter, read_document_spool
from saccade.tasks.translator import Tokenizers


@dataclass(frozen=True)
class LanguageSettings:
    """Where the text comes from, where documents and their sentences end, and how it is cut into tokens."""

    train: tuple[str, ...]
    valid: tuple[str, ...] = ()
    borders: Borders = "blank-line"
    sentences: Sentences = "line"
    holdout: float = 0.02
    kind: Kind = "bpe"
    size: int | None = None
    lowercase: bool = False
    first: int | None = None
    """Only this many training documents of each source, for a quick look; None takes all."""


@dataclass(frozen=True)
class LanguageCorpus:
    """Training documents as memory-mapped tokens, validation documents as text, and the tokenizer between the two."""

    train: Sequences
    valid: tuple[Document, ...]
    tokenizer: Tokenizer


def prepare_language(
    folder: Path,
    tokenizers: Path,
    settings: LanguageSettings,
    say: Callable[[str], None],
    *,
    given: Tokenizer | None = None,
) -> None:
    """Makes the corpus in ``folder`` and ``tokenizer.json`` in ``tokenizers``, unless that was done before.

    With a ``given`` tokenizer no new one is trained.
    """
    done = folder / "prepared.json"
    if done.exists():
        return
    folder.mkdir(exist_ok=True)
    spool, held = folder / "train.jsonl", folder / "valid.jsonl"
    spool_documents(spool, held, settings, say)
    made = given or train_on_documents(spool, tokenizers, settings, say)
    with SequenceWriter(folder / "train", made.vocab_size) as train:
        for chunk in chunks(told(read_document_spool(spool), "train: encoded", "documents", say)):
            train.extend([[*ids, made.eos_id] for ids in made.encode_batch([document.text for document in chunk])])
    spool.unlink()
    write_text(done, json.dumps({"documents": train.count, "tokens": train.tokens, "valid": digest(held)}) + "\n")


def open_language_corpus(folder: Path, tokenizers: Path) -> LanguageCorpus:
    """A prepared corpus, after everything in it was found as it was written."""
    train = Sequences.open(folder / "train")
    train.verify()
    held, done = folder / "valid.jsonl", folder / "prepared.json"
    if not held.exists() or json.loads(done.read_text(encoding="utf-8"))["valid"] != digest(held):
        raise DataError(f"{held} was changed or removed after it was written")
    return LanguageCorpus(train, tuple(read_document_spool(held)), load_tokenizers(tokenizers).target)


def train_on_documents(
    spool: Path, tokenizers: Path, settings: LanguageSettings, say: Callable[[str], None]
) -> Tokenizer:
    """A tokenizer of the spooled documents, kept in ``tokenizers``."""
    made = train_tokenizer(
        (document.text for document in told(read_document_spool(spool), "tokenizer: read", "documents", say)),
        kind=settings.kind,
        size=settings.size,
        lowercase=settings.lowercase,
    )
    say(f"tokenizer: {made.kind}, {made.vocab_size:,} tokens")
    save_tokenizers(tokenizers, Tokenizers(made, made))
    return made


def spool_documents(spool: Path, held: Path, settings: LanguageSettings, say: Callable[[str], None]) -> None:
    """Writes the training documents, and those to validate on: of their own source, or some held out."""

    def documents(spec: str, split: Split) -> Iterator[Document]:
        return read_documents(spec, split=split, borders=settings.borders, schemes={"scenes": scenes.read_documents})

    with DocumentWriter(spool) as train, DocumentWriter(held) as valid:
        for spec in settings.train:
            found = documents(spec, "train")
            for document in told(islice(found, settings.first), f"train: {spec}: read", "documents", say):
                out = not settings.valid and is_text_held_out(document.text, settings.holdout)
                (valid if out else train).add(document)
            if next(found, None) is not None:
                say(f"train: {spec}: only the first {settings.first:,} documents were looked at; there are more")
        for spec in settings.valid:
            for document in documents(spec, "valid"):
                valid.add(document)
    share = settings.holdout
    while not settings.valid and not valid.count and share < 0.5:  # so few documents that the share caught none
        share *= 2
        rest = spool.with_name("rest.jsonl")
        with DocumentWriter(rest) as train, DocumentWriter(held) as valid:
            for document in read_document_spool(spool):
                (valid if is_text_held_out(document.text, share) else train).add(document)
        rest.replace(spool)
    say(f"train: {train.count:,} documents")
    if not settings.valid:
        say(f"valid: {valid.count:,} documents held out of train ({share:.0%} by the hash of their text)")
    for name, count in (("train", train.count), ("validate on", valid.count)):
        if count == 0:
            raise DataError(
                f"{', '.join(settings.train)}: no document is left to {name}: name a file in data.valid, give more "
                "documents, or let data.documents cut the text into more of them (blank-line or line)"
            )
