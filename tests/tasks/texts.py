"""A small text and a small random language model to test tasks with."""

from pathlib import Path
from typing import Any

import torch

from saccade.data.examples import Document
from saccade.data.tokenizers import Tokenizer, train_tokenizer
from saccade.models import LanguageModel, Vocabulary, build_model
from saccade.tasks.language import LanguageTask
from saccade.tasks.language_corpus import LanguageCorpus, LanguageSettings, open_language_corpus, prepare_language

COLOURS = ("red", "blue", "green", "white")
THINGS = ("star", "tree", "ball", "house", "dog")


def sentence(number: int) -> str:
    """A pattern: the thing comes back at the end."""
    colour, thing = COLOURS[number % 4], THINGS[number // 4 % 5]
    return f"the {colour} {thing} number {number} is {colour} , said the {thing} ."


def texts(count: int) -> list[str]:
    return [sentence(number) for number in range(count)]


def write_texts(path: Path, count: int) -> str:
    path.write_text("\n\n".join(texts(count)) + "\n", encoding="utf-8")
    return str(path)


def prepared_texts(folder: Path, settings: LanguageSettings) -> tuple[LanguageCorpus, list[str]]:
    """The corpus, and what was said while it was made."""
    said: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    prepare_language(folder / "data", folder, settings, said.append)
    return open_language_corpus(folder / "data", folder), said


def small_corpus(place: Path, *, train: int = 24, valid: int = 5) -> LanguageCorpus:
    place.mkdir(parents=True, exist_ok=True)
    settings = LanguageSettings(
        train=(write_texts(place / "train.txt", train),), valid=(write_texts(place / "valid.txt", valid),), kind="words"
    )
    return prepared_texts(place / "corpus", settings)[0]


def language_model(tokenizer: Tokenizer, *, preset: str = "lstmn-lm", seed: int = 1, **options: Any) -> LanguageModel:
    torch.manual_seed(seed)
    size = tokenizer.vocab_size
    made = build_model(preset, {"dim": 8, **options}, Vocabulary(source=size, target=size, shared=True))
    assert isinstance(made, LanguageModel)
    return made.eval()


def text_tokenizer(count: int = 24) -> Tokenizer:
    return train_tokenizer(texts(count), kind="words")


def documents(count: int) -> list[Document]:
    return [Document(text) for text in texts(count)]


def language_task(corpus: LanguageCorpus, *, context: int = 16, batch_tokens: int | None = 64) -> LanguageTask:
    return LanguageTask(
        corpus,
        context=context,
        batch_tokens=batch_tokens,
        seed=3,
        label_smoothing=0.0,
        valid_tokens=256,
        device=torch.device("cpu"),
    )
