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
    yardstick = comparison.yardstick
    shared = comparison.recipe.model_dump(mode="json", include={"task", *yardstick.shared})
    return {
        "format": FORMAT,
        "command": comparison.command,
        "date": comparison.date,
        "saccade": comparison.saccade,
        "budget": str(comparison.budget),
        **shared,
        "test": comparison.data,
        yardstick.unit: len(comparison.examples),
        "systems": [_system(row) for row in comparison.rows],
    }


def write_result(comparison: Comparison, path: Path) -> None:
    write_text(path, json.dumps(as_json(comparison), indent=2, ensure_ascii=False) + "\n")


def _system(row: Row) -> dict[str, Any]:
    """All figures of a system; its answers themselves stay in ``measured/``."""
    against = {"against_best": None if row.against_best is None else asdict(row.against_best)}
    lengths = {"bleu_by_length": [asdict(one) for one in row.lengths]} if row.lengths else {}
    return {**row.system.figures(), **against, **lengths}
