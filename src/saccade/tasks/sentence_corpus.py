"""Documents made ready sentence by sentence, for models that read pairs of sentences.

As with a language model's text everything lies in one folder and ``prepared.json`` is written last. Here every sentence
ends with the end mark, and the validation documents are encoded too.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from saccade.data.encoded import Sequences, SequenceWriter
from saccade.data.sentences import Sentences, sentences
from saccade.data.tokenizers import Tokenizer
from saccade.errors import DataError
from saccade.files import write_text
from saccade.tasks.corpus import load_tokenizers
from saccade.tasks.language_corpus import LanguageSettings, spool_documents, train_on_documents
from saccade.tasks.preparing import chunks, told
from saccade.tasks.spool import read_document_spool


@dataclass(frozen=True)
class SentenceCorpus:
    """Documents as memory-mapped tokens, every sentence with its end mark, and the tokenizer that cut them."""

    train: Sequences
    valid: Sequences
    tokenizer: Tokenizer


def prepare_sentences(
    folder: Path,
    tokenizers: Path,
    settings: LanguageSettings,
    say: Callable[[str], None],
    *,
    given: Tokenizer | None = None,
) -> None:
    """Makes the corpus in ``folder`` and ``tokenizer.json`` in ``tokenizers``, unless that was done before."""
    done = folder / "prepared.json"
    if done.exists():
        return
    folder.mkdir(exist_ok=True)
    spools = {name: folder / f"{name}.jsonl" for name in ("train", "valid")}
    # A pair may take its texts from two documents.
    partly = spool_documents(spools["train"], spools["valid"], settings, say, least=2)
    made = given or train_on_documents(spools["train"], tokenizers, settings, say, part=partly)
    if made.mask_id < 0:
        raise DataError(f"a tokenizer of kind {made.kind} has no [MASK]: set tokenizer.kind=bert")
    for name, spool in spools.items():
        _encode(spool, folder / name, made, settings.sentences, say)
    spools["train"].unlink()
    write_text(done, json.dumps({"sentences": settings.sentences}) + "\n")


def open_sentence_corpus(folder: Path, tokenizers: Path) -> SentenceCorpus:
    """A prepared corpus, after everything in it was found as it was written."""
    train, valid = (Sequences.open(folder / name) for name in ("train", "valid"))
    train.verify()
    valid.verify()
    return SentenceCorpus(train, valid, load_tokenizers(tokenizers).target)


def _encode(spool: Path, stem: Path, made: Tokenizer, by: Sentences, say: Callable[[str], None]) -> None:
    with SequenceWriter(stem, made.vocab_size) as writer:
        for chunk in chunks(told(read_document_spool(spool), f"{stem.name}: encoded", "documents", say)):
            writer.extend([encoded_sentences(document.text, made, by) for document in chunk])


def encoded_sentences(text: str, tokenizer: Tokenizer, by: Sentences) -> list[int]:
    """The tokens of a document, an end mark behind every sentence."""
    cut = tokenizer.encode_batch(sentences(text, by))
    return [token for ids in cut if ids for token in (*ids, tokenizer.eos_id)]
