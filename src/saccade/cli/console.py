"""Where words go: results to standard output, everything else to standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which


def say(text: str) -> None:
    """A line about what is going on."""
    print(text, file=sys.stderr, flush=True)


def program() -> str:
    """What to type to call this program again from here."""
    called = Path(sys.argv[0])
    if which("saccade") or called.name != "saccade":
        return "saccade"
    return str(called.relative_to(Path.cwd()) if called.is_relative_to(Path.cwd()) else called)


@contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar with time left on a terminal, silent elsewhere; yields a function of the number done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
