"""``saccade complexity``."""

import json
import shlex
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from saccade.cli.console import counting, say

if TYPE_CHECKING:
    from saccade.complexity import Complexity


def complexity(
    lengths: Annotated[
        str | None, Option(help="Lengths n over which growth is measured, such as 512,1024,2048,4096.")
    ] = None,
    widths: Annotated[str | None, Option(help="Widths d over which growth is measured.")] = None,
    width: Annotated[int | None, Option(help="The width at which the lengths are measured.", min=1)] = None,
    length: Annotated[int | None, Option(help="The length at which the widths are measured.", min=1)] = None,
    layers: Annotated[
        str, Option(help="Types of layer, out of these.")
    ] = "self-attention,recurrent,convolutional,restricted",
    kernel: Annotated[int | None, Option(help="Positions k that a convolution reads: 3, 5, 7 …")] = None,
    window: Annotated[int | None, Option(help="Positions r to each side that restricted attention sees.")] = None,
    threads: Annotated[int | None, Option(help="Threads of torch. Default: 1, for the cleanest growth.")] = None,
    quick: Annotated[bool, Option("--quick", help="Smaller sizes: a few seconds, rougher exponents.")] = False,
    output: Annotated[Path, Option(help="The picture to draw, .png or .svg.")] = Path("complexity.png"),
    as_json: Annotated[bool, Option("--json", help="Print everything measured as JSON instead of the table.")] = False,
) -> "Complexity":
    """Measure what self-attention costs beside recurrence and convolution, with theory's table next to it.

    For each type of layer: how operations, time and memory grow with length n and width d, how many operations wait for
    one another, and in how many steps one position reaches another, found by changing an input and watching.

    Examples:

      saccade complexity

      saccade complexity --quick --layers self-attention,recurrent --output growth.svg
    """
    from saccade.complexity import QUICK, Plan, measure, sizes_given, types_named
    from saccade.complexity.picture import draw
    from saccade.view.heatmap import check_picture, save_figure

    check_picture(output)
    given: dict[str, Any] = {
        "lengths": None if lengths is None else sizes_given(lengths, name="lengths"),
        "widths": None if widths is None else sizes_given(widths, name="widths"),
        "width": width,
        "length": length,
        "kernel": kernel,
        "window": window,
        "threads": threads,
        "types": types_named(layers),
    }
    plan = replace(QUICK if quick else Plan(), **{name: value for name, value in given.items() if value is not None})
    found = measure(plan, counting)
    save_figure(draw(found), output)
    if as_json:
        print(json.dumps(asdict(found) | {"command": shlex.join(["saccade", *sys.argv[1:]])}, indent=2))
    else:
        _print(found)
    say(f"picture: {output}")
    return found


def _print(found: "Complexity") -> None:
    from rich.console import Console

    from saccade.complexity.table import growth_table, lecture_table, notes

    console = Console(highlight=False)
    console.print(lecture_table(found))
    console.print(growth_table(found))
    for note in notes(found):
        console.print(f"· {note}")
