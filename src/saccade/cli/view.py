"""``saccade view``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import say

if TYPE_CHECKING:
    from saccade.runs import Look


def view(
    run: Annotated[Path, Argument(help="A run folder.")],
    source: Annotated[str, Argument(help="The sentence to translate.")],
    target: Annotated[
        str | None, Option(help="Look at how the model would write this text instead of its own.")
    ] = None,
    to: Annotated[
        str | None, Option(help="The language to translate into, for a model that was trained for several.")
    ] = None,
    layer: Annotated[
        str | None,
        Option(help="The layer to draw as PNG or SVG, such as decoder.2.cross; `all` for every layer and head."),
    ] = None,
    head: Annotated[int | None, Option(help="The head to draw. Default: the mean of all heads.")] = None,
    output: Annotated[Path, Option(help="A .html page with all layers and heads, or a .png or .svg picture.")] = Path(
        "attention.html"
    ),
) -> Path:
    """Draw what a model attends to while it translates a sentence.

    Examples:

      saccade view runs/demo-1 "a small red circle is left of two blue squares"

      saccade view runs/demo-1 "a red star" --output star.png --layer decoder.2.cross --head 1
    """
    from saccade.runs import load

    look = load(run).look(source, target, to=to)
    draw(look, output, title=f"Attention of {run.name}", layer=layer, head=head)
    print(look.target)
    say(f"attention: {output}")
    return output


def draw(look: "Look", output: Path, *, title: str, layer: str | None = None, head: int | None = None) -> None:
    """A page, or the picture of one layer, or of ``all``."""
    from saccade.errors import DecodingError
    from saccade.files import write_text
    from saccade.view.heatmap import grid, save, save_figure
    from saccade.view.page import page

    drawn = look.clearest() if layer is None or layer == "all" else look[layer]
    if output.suffix == ".html":
        write_text(output, page(look.layers, title=title, source=look.source, target=look.target))
    elif layer == "all":
        save_figure(grid(look.layers), output)
    elif drawn is None:
        raise DecodingError("this model has no cross-attention: name a --layer")
    else:
        save(drawn, output, head=head)
