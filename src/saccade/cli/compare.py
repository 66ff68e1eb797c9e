"""``saccade compare``."""

import json
import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import counting, program, say

if TYPE_CHECKING:
    from saccade.compare.comparison import Comparison, Standing

WIDTH = 200  # characters of the table where there is no terminal to ask


def compare(
    recipes: Annotated[
        list[str],
        Argument(
            help="The systems: each a recipe file, a shipped recipe's name or a preset's name; and keys to set in all "
            "of them, such as data.train=my.tsv data.test=test.tsv.",
            metavar="RECIPE... [KEY=VALUE]...",
        ),
    ],
    budget: Annotated[
        str,
        Option(
            help='What each system may spend: "20 minutes", "5e6 tokens" (target tokens, or pictures, seen) or "2e14 '
            'flops".'
        ),
    ],
    folder: Annotated[
        Path | None,
        Option(
            help="Where everything is kept; a folder that holds this comparison goes on. Default: this very "
            "comparison if it was begun under runs, else a new runs/compare-n."
        ),
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print the result as JSON instead of a table.")] = False,
) -> "Comparison":
    """Train several systems at one budget and say what each reached and what it cost.

    Every system gets the same data and the same tokenizer, those of the first recipe unless KEY=VALUE says otherwise,
    and the same budget; all else, such as its learning rate, is its recipe's own. Each is trained in a process of its
    own and then translates the test set: BLEU and chrF with interval, parameters, tokens, operations, time, memory,
    decoding speed and, where the truth is known, alignment error; the best first, the others tested against it.
    Classifiers of pictures are compared in the same way by their accuracy.

    Killed at any moment, the same command goes on where it stopped. The folder gets compare.json, report.html and two
    pictures as PNG and SVG: compare, the scores, and attention, where each translator looks in the same sentence.

    Examples:

      saccade compare rnn-seq2seq rnn-additive transformer-tiny --budget "2 minutes" data.train=scenes:en-fr
      data.valid=scenes:en-fr data.test=scenes:en-fr tokenizer.kind=words

      saccade compare a.yaml b.yaml --budget "2e14 flops" --folder runs/a-and-b

      saccade compare cifar10-vit cifar10-resnet cifar10-hybrid --budget "10 epochs"
    """
    from saccade.compare.comparison import run
    from saccade.compare.folder import CompareFolder, find_folder
    from saccade.compare.looks_picture import save_looks
    from saccade.compare.page import page
    from saccade.compare.picture import save
    from saccade.compare.plan import make_plan
    from saccade.compare.result import as_json as plain
    from saccade.compare.result import write_result
    from saccade.errors import SaccadeError
    from saccade.files import write_text

    plan = make_plan(recipes, budget)
    place = CompareFolder.make(folder or find_folder(plan), plan)
    say(f"comparison: {place.path}")
    for remark in plan.remarks:
        say(remark)
    try:
        found = run(plan, place, command=shlex.join(["saccade", *sys.argv[1:]]), watch=_ConsoleWatch())
    except (KeyboardInterrupt, SystemExit):
        say("stopped; the same command goes on")
        raise
    except SaccadeError:
        place.leave()  # the same --folder stays free for the mended command
        raise
    save(found, place.picture, place.drawing)
    looked = save_looks(found, place.looks, place.drawn_looks)
    write_text(place.report, page(found, place.drawing, place.drawn_looks if looked else None))
    write_result(found, place.result)
    if as_json:
        print(json.dumps(plain(found), indent=2, ensure_ascii=False))
    else:
        _print_table(found)
    best, verb = found.rows[0].system, "translate" if found.recipe.task == "translation" else "classify"
    say(f"picture: {place.picture}\nreport: {place.report}\nnext: {program()} {verb} {best.run}")
    return found


class _ConsoleWatch:
    """Which system of how many, on standard error; the trainings tell of themselves."""

    def say(self, text: str) -> None:
        say(text)

    def begins(self, standing: "Standing") -> None:
        from saccade.training.progress import clock

        left = "" if standing.left is None else f", about {clock(standing.left)} left for all"
        say(f"\nsystem {standing.number} of {standing.systems}: {standing.name} ({clock(standing.gone)} spent{left})")

    def evaluating(self, verb: str, examples: int) -> AbstractContextManager[Callable[[int], None]]:
        return counting(verb, examples)


def _print_table(found: "Comparison") -> None:
    from rich.console import Console
    from rich.table import Table

    from saccade.compare.table import caption, headings, table

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH)
    shown = Table(box=None, pad_edge=False, title=caption(found), title_justify="left", title_style="bold")
    for number, heading in enumerate(headings(found)):
        shown.add_column(heading, justify="left" if number == 0 else "right", no_wrap=number == 0)
    for line in table(found):
        shown.add_row(*line)
    console.print(shown)
