"""Where each system looks: what every one of them attends to in the same sentence while it writes the same translation.

Legend: Q queries, the target's tokens; K keys, the source's tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from saccade.data.examples import Pair
from saccade.runs import TranslationRun
from saccade.runs.run import LONGEST
from saccade.view.weights import head_matrix, visible

DIGITS = 4


@dataclass(frozen=True)
class Looked:
    """The weights of one layer, the mean of its heads, with the tokens of its rows and columns."""

    layer: str
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    weights_QK: tuple[tuple[float, ...], ...]

    @classmethod
    def of_json(cls, said: dict[str, Any]) -> Self:
        return cls(
            layer=said["layer"],
            queries=tuple(said["queries"]),
            keys=tuple(said["keys"]),
            weights_QK=tuple(map(tuple, said["weights_QK"])),
        )


def look(run: TranslationRun, pairs: Sequence[Pair]) -> Looked | None:
    """The cross-attention of ``run`` in the chosen pair; None of a system that has none."""
    pair = chosen(pairs)
    if pair is None:
        return None
    attended = run.look(pair.source, pair.target, to=pair.into).clearest()
    if attended is None:
        return None
    return Looked(
        layer=attended.layer,
        queries=tuple(map(visible, attended.queries)),
        keys=tuple(map(visible, attended.keys)),
        weights_QK=tuple(tuple(round(float(w), DIGITS) for w in row_K) for row_K in head_matrix(attended, None)),
    )


def chosen(pairs: Sequence[Pair]) -> Pair | None:
    """Of the pairs that can be read at a glance the one of middle length, the same for every system."""
    whole = [pair for pair in pairs if pair.source.strip() and pair.target.strip()]
    short = [pair for pair in whole if max(len(pair.source.split()), len(pair.target.split())) <= LONGEST]
    by_length = sorted(short or whole, key=lambda pair: len(pair.source.split()))
    return by_length[len(by_length) // 2] if by_length else None
