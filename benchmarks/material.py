"""What all contenders of a benchmark work on: pairs of sentences as tokens, in batches, as plain JSON."""

import json
from pathlib import Path
from typing import Any

VOCABULARY = 8_000  # of Multi30k; scenes have as many words as they have
BATCH_TOKENS = 4_096
BATCHES = 24


def pairs(data: Path | None) -> tuple[str, str]:
    """Training and validation pairs as a recipe names them: Multi30k's English and German, or scenes without it."""
    if data is not None:
        return f"{data}/train.{{en,de}}", f"{data}/val.{{en,de}}"
    return "scenes:en-de?size=29000", "scenes:en-de?size=1000"


def overrides(data: Path | None) -> list[str]:
    """The same pairs and tokenizer for ``saccade train``."""
    train, valid = pairs(data)
    return [f"data.train={train}", f"data.valid={valid}", f"tokenizer.size={_size(data) or 'null'}"]


def _size(data: Path | None) -> int | None:
    return None if data is None else VOCABULARY


def prepare(place: Path, data: Path | None) -> None:
    """``batches.json``: the ids of each batch, source and target; ``vocabulary.json``: how many ids there are."""
    from saccade.data.batches import Position, TokenBatches
    from saccade.tasks.corpus import CorpusSettings, open_corpus
    from saccade.tasks.corpus import prepare as prepare_corpus

    train, valid = pairs(data)
    place.mkdir(parents=True, exist_ok=True)
    settings = CorpusSettings(train=(train,), valid=(valid,), size=_size(data))
    prepare_corpus(place / "corpus", place, settings, say=lambda text: None)
    corpus = open_corpus(place / "corpus", place)
    stream = TokenBatches(
        corpus.source.lengths + 1, corpus.target.lengths + 1, batch_tokens=BATCH_TOKENS, seed=1
    ).stream(Position())
    batches: list[dict[str, Any]] = []
    for placed in stream:
        sides = {"source": corpus.source, "target": corpus.target}
        batches.append({side: [ids[row].tolist() for row in placed.rows] for side, ids in sides.items()})
        if len(batches) == BATCHES:
            break
    (place / "batches.json").write_text(json.dumps(batches))
    (place / "vocabulary.json").write_text(json.dumps(corpus.tokenizers.target.vocab_size))


def batches(place: Path) -> list[dict[str, list[list[int]]]]:
    loaded: list[dict[str, list[list[int]]]] = json.loads((place / "batches.json").read_text())
    return loaded


def vocabulary(place: Path) -> int:
    return int(json.loads((place / "vocabulary.json").read_text()))


def padded(rows: list[list[int]], *, before: int | None = None, after: int | None = None) -> Any:
    """(rows, longest) with 0 for padding, as every contender gets them."""
    import torch

    whole = [([] if before is None else [before]) + row + ([] if after is None else [after]) for row in rows]
    longest = max(map(len, whole))
    return torch.tensor([row + [0] * (longest - len(row)) for row in whole])
