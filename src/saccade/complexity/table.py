"""The lectures' table, theory beside measurement, and in sentences what it does not say."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from saccade.complexity.measuring import Complexity, Growth, Measured
from saccade.complexity.theory import PATHS, THEORY

TOLERANCE = 0.15  # how far a timed exponent may lie from theory's before a sentence says so


def lecture_table(found: Complexity) -> Table:
    """Complexity per layer, sequential operations, longest path: each as theory has it and as it was measured."""
    drawn = _table(
        "layer",
        "complexity\nin theory",
        "time\nmeasured",
        "sequential\noperations",
        f"longest path\nat n = {found.plan.path_lengths[-1]}",
    )
    for each in found.measured:
        if each.part != "operation":
            continue
        theory = THEORY[each.type]
        paths = [paths for paths in found.paths if paths.type == each.type]
        cells = [f"{PATHS[one.stack]}: {one.found[-1]}" for one in paths]
        drawn.add_row(
            each.type,
            theory.complexity,
            _powers(each.in_length.seconds.exponent, each.in_width.seconds.exponent),
            f"{theory.sequential}: {chain_text(found.plan.lengths, each.chain)}",
            cells[0] if len(cells) == 1 else "",
        )
        for one, cell in zip(paths, cells, strict=True):
            if len(cells) > 1:
                drawn.add_row(f"  {one.stack}", "", "", "", cell)
    return drawn


def growth_table(found: Complexity) -> Table:
    """How operations, time and memory grow: of attention also with its weights held, and of the whole layer."""
    drawn = _table("growth of", "operations\ncounted", "time\nmeasured", "memory\nmeasured")
    for each in found.measured:
        drawn.add_row(
            each.type if each.part == "operation" else f"  {each.part}",
            *(
                _powers(in_length.exponent, in_width.exponent)
                for in_length, in_width in (
                    (each.in_length.operations, each.in_width.operations),
                    (each.in_length.seconds, each.in_width.seconds),
                    (each.in_length.memory, each.in_width.memory),
                )
            ),
        )
    return drawn


def notes(found: Complexity) -> list[str]:
    """Where and how it was measured, and where theory's term does not decide."""
    plan = found.plan
    said = [
        f"Growth in n: {_many(plan.rows_of_lengths, 'row')} of {_sizes(plan.lengths)} positions of width {plan.width}. "
        f"Growth in d: {_many(plan.rows_of_widths, 'row')} of {plan.length} positions of width {_sizes(plan.widths)}. "
        f"On {_many(plan.threads, 'thread')}, the median of {_many(plan.repeats, 'round')}; k = {plan.kernel}, "
        f"r = {plan.window}.",
        "Operations are those of all matrix products; memory is the peak of one pass without gradients; sequential "
        "operations are the kernels on the longest chain of which each needs the one before; a path is followed by "
        "changing one input and counting the layers (in a recurrence: the steps) until every output has changed.",
        f"One pass over {_many(plan.rows_of_widths, 'row')} of {plan.length} positions of width {plan.widths[-1]:,} "
        f"takes {_times(found)}.",
    ]
    by_name = {each.name: each for each in found.measured}
    held = by_name.get("self-attention with weights held")
    if held is not None:
        first, last = plan.lengths[0], plan.lengths[-1]
        fused = by_name["self-attention"]
        said += [
            f"With its projections self-attention does 4·n²·d + 8·n·d² operations: below n = 2d the projections "
            f"outweigh the rest and the whole layer grows like n·d², far beyond it like n²·d. At width {plan.width} "
            f"they are {_projected(first, plan.width):.0%} of it at n = {first:,} and "
            f"{_projected(last, plan.width):.0%} at n = {last:,}; at {plan.length} positions of width "
            f"{plan.widths[-1]:,} they are {_projected(plan.length, plan.widths[-1]):.0%}.",
            f"The table of n² weights takes memory only where it is held (n^{held.in_length.memory.exponent:.2f}); the "
            f"fused kernel never holds it (n^{fused.in_length.memory.exponent:.2f}), though its time grows like n² "
            "all the same.",
        ]
    beside = [
        f"{each.name} {symbol}^{growth.seconds.exponent:.2f}"
        for each in found.measured
        for symbol, growth in (("n", each.in_length), ("d", each.in_width))
        if is_beside_theory(growth)
    ]
    if beside:
        said.append(
            f"More than {TOLERANCE} beside theory in time: {', '.join(beside)}. Less growth means that what does not "
            "grow, such as starting kernels, still has its share at these sizes; more, that larger sizes no longer fit "
            "the processor's caches, or that something else was running."
        )
    return said


def is_beside_theory(growth: Growth) -> bool:
    return growth.theory is not None and abs(growth.seconds.exponent - growth.theory) > TOLERANCE


def chain_text(lengths: Sequence[int], chain: Sequence[int]) -> str:
    """``1`` where the chain is as long for every n, ``3n + 3`` where it grows by as much with each position."""
    if len(set(chain)) == 1:
        return f"{chain[0]}"
    slope, rest = divmod(chain[1] - chain[0], lengths[1] - lengths[0])
    start = chain[0] - slope * lengths[0]
    if rest or any(count != slope * length + start for length, count in zip(lengths, chain, strict=True)):
        return f"{chain[0]:,} to {chain[-1]:,}"
    return f"{'' if slope == 1 else slope}n" + (f" {'+' if start > 0 else '−'} {abs(start)}" if start else "")


def _table(*titles: str) -> Table:
    drawn = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    for title in titles:
        drawn.add_column(title)
    return drawn


def _times(found: Complexity) -> str:
    """The widest pass of each, in milliseconds."""

    def milliseconds(each: Measured) -> str:
        return f"{each.in_width.costs[-1].seconds * 1e3:,.3g} ms"

    shown = [each for each in found.measured if each.part != "with weights held"]
    return ", ".join(f"{milliseconds(each)} ({each.name})" for each in shown)


def _powers(in_length: float, in_width: float) -> str:
    # adding zero after rounding turns −0.00 into 0.00
    return f"n^{round(in_length, 2) + 0.0:.2f} d^{round(in_width, 2) + 0.0:.2f}"


def _projected(length: int, width: int) -> float:
    """The projections' share of 4·n²·d + 8·n·d²."""
    return 2 * width / (length + 2 * width)


def _sizes(sizes: Sequence[int]) -> str:
    return f"{sizes[0]:,} to {sizes[-1]:,}"


def _many(number: int, word: str) -> str:
    return f"one {word}" if number == 1 else f"{number} {word}s"
