"""The comparison as a table of words, for the terminal and the page alike."""

from collections.abc import Sequence

from saccade.compare.comparison import Comparison, Row
from saccade.compare.yardstick import NOTHING
from saccade.training.progress import clock


def headings(comparison: Comparison) -> Sequence[str]:
    """What stands above the columns."""
    yardstick = comparison.yardstick
    return (
        "system",
        f"{yardstick.score} (95 %)",
        *(column.heading for column in yardstick.beside),
        "against the best",
        "parameters",
        yardstick.counted,
        "FLOPs",
        "time",
        "memory",
        f"{yardstick.unit}/s",
        *(column.heading for column in yardstick.further),
    )


def table(comparison: Comparison) -> list[Sequence[str]]:
    """A line for each system under the headings."""
    return [_line(row, comparison) for row in comparison.rows]


def caption(comparison: Comparison) -> str:
    """What all systems had in common."""
    examples = f"{len(comparison.examples):,} {comparison.yardstick.unit}"
    return f"{examples} of {comparison.data}, {comparison.budget} for each system"


def scientific(number: float) -> str:
    """``3.1e12``, as a recipe would have it."""
    digits, _, power = f"{number:.2e}".partition("e")
    return f"{digits}e{int(power)}"


def _line(row: Row, comparison: Comparison) -> Sequence[str]:
    system, test, yardstick = row.system, row.against_best, comparison.yardstick
    interval = system.score.interval
    between = f" ({interval.low:.1f}–{interval.high:.1f})" if interval else ""
    return (
        system.name,
        f"{system.score.value:.1f}{between}",
        *(column.cell(system) for column in yardstick.beside),
        NOTHING if test is None else f"{test.difference:+.1f}, p = {test.p_value:.3f}",
        f"{system.parameters:,}",
        f"{system.tokens:,}",
        scientific(system.flops),
        clock(system.seconds),
        f"{system.memory / 2**20:,.0f} MiB",
        f"{system.per_second:,.1f}",
        *(column.cell(system) for column in yardstick.further),
    )
