"""``saccade demo``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from saccade.cli.console import program, say

if TYPE_CHECKING:
    from saccade.runs import Evaluation

SHOWN = 5


def demo(
    run: Annotated[Path | None, Option(help="The run folder to make. Default: runs/demo-n.")] = None,
) -> "Evaluation":
    """Train a translator from English to French on the embedded world, score it and draw its attention. Two minutes."""
    from saccade.cli.evaluate import evaluate_translators
    from saccade.cli.train import train
    from saccade.cli.view import draw
    from saccade.runs import load_translator
    from saccade.training.folder import next_run

    folder = run or next_run("demo")
    say("Saccade trains a Transformer to translate English into French. The sentences describe scenes that a generator")
    say("makes up, so the truth is known: the test scenes are unseen, and every word has a gold alignment.\n")
    train("scenes-en-fr", run=folder)
    trained = load_translator(folder)
    print("\nUnseen scenes")
    found = evaluate_translators([trained])
    print("\nFive of them")
    for one in found.translations[:SHOWN]:
        print(f"  {one.source}\n    → {one.text}")
    longest = max(found.pairs[:100], key=lambda pair: len(pair.source.split()))
    look = trained.look(longest.source)
    picture, page = folder / "attention.png", folder / "attention.html"
    if found.alignment is not None:
        draw(look, picture, title="", layer=found.alignment.lens.layer, head=found.alignment.lens.head)
    draw(look, page, title="Attention of an English to French translator")
    print(f"\nWhere it looked while it wrote\n  {look.source}\n    → {look.target}")
    print(f"  picture  {picture}\n  page     {page}\n  report   {folder / 'report.html'}")
    print(f'\nYours now: echo "a big blue star is above a small red circle" | {program()} translate {folder}')
    return found
