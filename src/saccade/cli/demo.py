"""``saccade demo``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from saccade.cli.console import say

if TYPE_CHECKING:
    from saccade.runs import Evaluation

SHOWN = 5


def demo(
    run: Annotated[Path | None, Option(help="The run folder to make. Default: runs/demo-n.")] = None,
) -> "Evaluation":
    """Train a translator from English to French on the embedded world, score it and draw its attention. Two minutes."""
    from saccade.cli.evaluate import evaluate
    from saccade.cli.train import train
    from saccade.cli.view import view
    from saccade.training.folder import next_run

    folder = run or next_run("demo")
    say("Saccade trains a Transformer to translate English into French. The sentences describe scenes that a generator")
    say("makes up, so the truth is known: the test scenes are unseen, and every word has a gold alignment.\n")
    train("scenes-en-fr", run=folder)
    print("\nUnseen scenes:")
    found = evaluate([folder])
    print("\nFive of them:")
    for one in found.translations[:SHOWN]:
        print(f"  {one.source}\n    → {one.text}")
    longest = max(found.pairs[:100], key=lambda pair: len(pair.source.split()))
    print("\nWhere it looked while it wrote")
    picture = view(
        folder,
        longest.source,
        layer=None if found.lens is None else found.lens.layer,
        head=None if found.lens is None else found.lens.head,
        output=folder / "attention.png",
    )
    page = view(folder, longest.source, output=folder / "attention.html")
    print(f"\npicture  {picture}\npage     {page}\nreport   {folder / 'report.html'}")
    print(f'\nYours now: echo "a big blue star is above a small red circle" | saccade translate {folder}')
    return found
