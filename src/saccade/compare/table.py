"""The comparison as a table of words, for the terminal and the page alike."""

from collections.abc import Sequence

from saccade.compare.comparison import Comparison, Row
from saccade.training.progress import clock

HEADINGS = (
    "system",
    "BLEU (95 %)",
    "chrF",
    "against the best",
    "parameters",
    "tokens",
    "FLOPs",
    "time",
    "memory",
    "sentences/s",
    "alignment error",
)
NOTHING = "–"


def table(comparison: Comparison) -> list[Sequence[str]]:
    """A line for each system under ``HEADINGS``."""
    return [_line(row) for row in comparison.rows]


def caption(comparison: Comparison) -> str:
    """What all systems had in common."""
    return f"{len(comparison.pairs):,} sentences of {comparison.data}, {comparison.budget} for each system"


def scientific(number: float) -> str:
    """``3.1e12``, as a recipe would have it."""
    digits, _, power = f"{number:.2e}".partition("e")
    return f"{digits}e{int(power)}"


def _line(row: Row) -> Sequence[str]:
    system, test = row.system, row.against_best
    interval = system.bleu.interval
    between = f" ({interval.low:.1f}–{interval.high:.1f})" if interval else ""
    return (
        system.name,
        f"{system.bleu.value:.1f}{between}",
        f"{system.chrf.value:.1f}",
        NOTHING if test is None else f"{test.difference:+.1f}, p = {test.p_value:.3f}",
        f"{system.parameters:,}",
        f"{system.tokens:,}",
        scientific(system.flops),
        clock(system.seconds),
        f"{system.memory / 2**20:,.0f} MiB",
        f"{system.sentences_per_second:,.1f}",
        NOTHING if system.alignment_error is None else f"{system.alignment_error:.1%}",
    )
