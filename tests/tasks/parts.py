"""A small corpus and a small random model to test tasks with."""

from pathlib import Path
from typing import Any

import torch

from saccade.data.examples import Pair
from saccade.data.tags import tag_of
from saccade.data.tokenizers import train_tokenizer
from saccade.models import Seq2Seq, Vocabulary, build_model
from saccade.tasks.corpus import Corpus, CorpusSettings, open_corpus, prepare
from saccade.tasks.translation import TranslationTask
from saccade.tasks.translator import DecodeSettings, Member, Tokenizers

SMALL: dict[str, Any] = {
    "dim": 16,
    "heads": 2,
    "encoder_layers": 1,
    "decoder_layers": 2,
    "ff_dim": 32,
    "dropout": 0.0,
    "norm": "pre",
}
PAIRS = [Pair(f"the {a} {b}", f"{b} la {a} ici") for a in ("red", "blue", "green") for b in ("star", "tree", "ball")]


def write_pairs(path: Path, pairs: list[Pair]) -> str:
    path.write_text("".join(f"{pair.source}\t{pair.target}\n" for pair in pairs), encoding="utf-8")
    return str(path)


def many_pairs(count: int) -> list[Pair]:
    return [Pair(f"sentence number {n} of many", f"phrase numéro {n} parmi d'autres") for n in range(count)]


def prepared(folder: Path, settings: CorpusSettings) -> tuple[Corpus, list[str]]:
    """The corpus, and what was said while it was made."""
    said: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    prepare(folder / "data", folder, settings, said.append)
    return open_corpus(folder / "data", folder), said


def tokenizers_for(texts: list[str], *, shared: bool = True, languages: tuple[str, ...] = ()) -> Tokenizers:
    one = train_tokenizer(texts, kind="words", specials=[tag_of(language) for language in languages])
    return Tokenizers(one, one if shared else train_tokenizer([*texts, "further words"], kind="words"))


def model_for(tokenizers: Tokenizers, *, seed: int = 1, **options: Any) -> Seq2Seq:
    torch.manual_seed(seed)
    vocabulary = Vocabulary(
        source=tokenizers.source.vocab_size,
        target=tokenizers.target.vocab_size,
        shared=tokenizers.source is tokenizers.target,
    )
    built = build_model("transformer-tiny", {**SMALL, **options}, vocabulary)
    assert isinstance(built, Seq2Seq)
    return built.eval()


def member(*, seed: int = 1, languages: tuple[str, ...] = (), **options: Any) -> Member:
    tokenizers = tokenizers_for([text for pair in PAIRS for text in (pair.source, pair.target)], languages=languages)
    return Member(model_for(tokenizers, seed=seed, **options), tokenizers)


def task_for(
    corpus: Corpus,
    *,
    label_smoothing: float = 0.1,
    batch_tokens: int | None = 64,
    bpe_dropout: float = 0.0,
    consistency: float = 0.0,
    decode: DecodeSettings | None = None,
) -> TranslationTask:
    return TranslationTask(
        corpus,
        batch_tokens=batch_tokens,
        seed=3,
        label_smoothing=label_smoothing,
        decode=decode or DecodeSettings(),
        valid_sentences=20,
        device=torch.device("cpu"),
        bpe_dropout=bpe_dropout,
        consistency=consistency,
    )
