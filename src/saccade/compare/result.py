"""``compare.json``: the comparison with all that is needed to judge and repeat it."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from saccade.compare.comparison import Comparison, Row
from saccade.files import write_text

FORMAT = 1


def as_json(comparison: Comparison) -> dict[str, Any]:
    """Plain values: the settings, then a system each, best first."""
    shared = comparison.recipe.model_dump(mode="json", include={"task", "data", "tokenizer"})
    return {
        "format": FORMAT,
        "command": comparison.command,
        "date": comparison.date,
        "saccade": comparison.saccade,
        "budget": str(comparison.budget),
        **shared,
        "test": comparison.data,
        "sentences": len(comparison.pairs),
        "systems": [_system(row) for row in comparison.rows],
    }


def write_result(comparison: Comparison, path: Path) -> None:
    write_text(path, json.dumps(as_json(comparison), indent=2, ensure_ascii=False) + "\n")


def _system(row: Row) -> dict[str, Any]:
    """All figures of a system; the translations themselves stay in ``measured/``."""
    said = asdict(row.system)
    del said["translations"]
    return {
        **said,
        "sentences_per_second": round(row.system.sentences_per_second, 2),
        "alignment_error": row.system.alignment_error,
        "against_best": None if row.against_best is None else asdict(row.against_best),
        "bleu_by_length": [asdict(one) for one in row.lengths],
    }
