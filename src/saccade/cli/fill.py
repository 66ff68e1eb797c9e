"""``saccade fill``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import say

if TYPE_CHECKING:
    from saccade.runs import Filled


def fill(
    run: Annotated[Path, Argument(help="The run folder of a pretrained BERT.")],
    text: Annotated[str, Argument(help="A text with [MASK] where a word is to be found.")],
    best: Annotated[int, Option(help="How many words to show for each gap.")] = 5,
    view: Annotated[
        Path | None, Option(help="Also draw what was attended to: a .html page, or a .png or .svg picture.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print as JSON.")] = False,
) -> "Filled":
    """Find the words that belong into the gaps of a text.

    Examples:

      saccade fill runs/bert-scenes-1 "the [MASK] dog ran"

      saccade fill runs/bert-scenes-1 "a [MASK] red [MASK]" --best 10 --view gaps.html
    """
    from saccade.cli.view import draw
    from saccade.errors import DecodingError
    from saccade.runs import MaskedRun, load

    loaded = load(run)
    if not isinstance(loaded, MaskedRun):
        raise DecodingError(f"{run} was trained for task {loaded.recipe.task}: only a pretrained BERT fills gaps")
    found = loaded.fill(text, best=best)
    if view is not None:
        draw(loaded.look(text), view, title=f"Attention of {run.name}")
        say(f"attention: {view}")
    if as_json:
        print(json.dumps(asdict(found), ensure_ascii=False, indent=2))
    else:
        print(found.best)
        for number, gap in enumerate(found.gaps, start=1):
            print(f"gap {number}: " + "  ".join(f"{word.text} {word.probability:.1%}" for word in gap))
    return found
