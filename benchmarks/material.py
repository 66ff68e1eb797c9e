"""What all contenders of a benchmark work on: pairs of sentences as tokens, in batches, as plain JSON."""

import json
from pathlib import Path
from typing import Any

VOCABULARY = 8_000
BATCH_TOKENS = 4_096
BATCHES = 24


def pairs(data: Path | None) -> tuple[str, str]:
    """Training and validation pairs as a recipe names them: Multi30k's English and German, or scenes without it."""
    if data is not None:
        return f"{data}/train.{{en,de}}", f"{data}/val.{{en,de}}"
    return "scenes:en-de?size=29000", "scenes:en-de?size=1000"


def prepare(place: Path, data: Path | None) -> None:
    """``batches.json``: per batch the source and the target ids of its rows; ``valid.json``: sources to translate."""
    from saccade.data.batches import Position, TokenBatches
    from saccade.tasks.corpus import CorpusSettings, open_corpus
    from saccade.tasks.corpus import prepare as prepare_corpus

    train, valid = pairs(data)
    place.mkdir(parents=True, exist_ok=True)
    settings = CorpusSettings(train=(train,), valid=valid, size=VOCABULARY)
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


def batches(place: Path) -> list[dict[str, list[list[int]]]]:
    loaded: list[dict[str, list[list[int]]]] = json.loads((place / "batches.json").read_text())
    return loaded


def padded(rows: list[list[int]], *, before: int | None = None, after: int | None = None) -> Any:
    """(rows, longest) with 0 for padding, as every contender gets them."""
    import torch

    whole = [([] if before is None else [before]) + row + ([] if after is None else [after]) for row in rows]
    longest = max(map(len, whole))
    return torch.tensor([row + [0] * (longest - len(row)) for row in whole])
