"""A text made ready for a language model: read, tokenizer trained, encoded to disk, and opened again.

Everything lies in one folder, as with a corpus of pairs: ``prepared.json`` is written last, and the same settings give
the same files, byte for byte. Every document is kept whole, with the end mark behind its tokens.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from saccade import scenes
from saccade.data.encoded import Sequences, SequenceWriter
from saccade.data.examples import Document
from saccade.data.sentences import Sentences
from saccade.data.sources import Borders, Split, read_documents
from saccade.data.tokenizers import Kind, Tokenizer, train_tokenizer
from saccade.files import write_text
from saccade.tasks.corpus import load_tokenizers, save_tokenizers
from saccade.tasks.parting import Sources, Spooled, spool
from saccade.tasks.preparing import check_unchanged, chunks, digest, told
from saccade.tasks.spool import DocumentWriter, read_document_spool
from saccade.tasks.translator import Tokenizers

DOCUMENTS = Spooled(
    "document",
    DocumentWriter,
    read_document_spool,
    lambda document: document.text,
    hint="; data.documents=blank-line or line cuts a text into more of them",
)


@dataclass(frozen=True, kw_only=True)
class LanguageSettings(Sources):
    """Where the text comes from, where documents and their sentences end, and how it is cut into tokens."""

    borders: Borders = "blank-line"
    sentences: Sentences = "line"
    kind: Kind = "bpe"
    size: int | None = None
    lowercase: bool = False


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
    spooled, held = folder / "train.jsonl", folder / "valid.jsonl"
    partly = spool_documents(spooled, held, settings, say)
    made = given or train_on_documents(spooled, tokenizers, settings, say, part=partly)
    with SequenceWriter(folder / "train", made.vocab_size) as train:
        for chunk in chunks(told(read_document_spool(spooled), "train: encoded", "documents", say)):
            train.extend([[*ids, made.eos_id] for ids in made.encode_batch([document.text for document in chunk])])
    spooled.unlink()
    write_text(done, json.dumps({"documents": train.count, "tokens": train.tokens, "valid": digest(held)}) + "\n")


def open_language_corpus(folder: Path, tokenizers: Path) -> LanguageCorpus:
    """A prepared corpus, after everything in it was found as it was written."""
    train = Sequences.open(folder / "train")
    train.verify()
    held = folder / "valid.jsonl"
    check_unchanged(held, json.loads((folder / "prepared.json").read_text(encoding="utf-8"))["valid"])
    return LanguageCorpus(train, tuple(read_document_spool(held)), load_tokenizers(tokenizers).target)


def train_on_documents(
    spooled: Path, tokenizers: Path, settings: LanguageSettings, say: Callable[[str], None], *, part: bool
) -> Tokenizer:
    """A tokenizer of the spooled documents, kept in ``tokenizers``."""
    made = train_tokenizer(
        (document.text for document in told(read_document_spool(spooled), "tokenizer: read", "documents", say)),
        kind=settings.kind,
        size=settings.size,
        lowercase=settings.lowercase,
        part=part,
    )
    say(f"tokenizer: {made.kind}, {made.vocab_size:,} tokens")
    save_tokenizers(tokenizers, Tokenizers(made, made))
    return made


def spool_documents(
    train: Path, held: Path, settings: LanguageSettings, say: Callable[[str], None], *, least: int = 1
) -> bool:
    """Writes the training documents, and those to validate on: of their own source, or some held out.

    There are ``least`` of them on either side. Says whether that was a part of them only.
    """

    def documents(spec: str, split: Split) -> Iterator[Document]:
        return read_documents(spec, split=split, borders=settings.borders, schemes={"scenes": scenes.read_documents})

    return spool(train, held, settings, documents, replace(DOCUMENTS, least=least), say)
