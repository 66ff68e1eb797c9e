"""``saccade caption``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import counting, say

if TYPE_CHECKING:
    from saccade.runs import Captioned, CaptionRun


def caption(
    run: Annotated[Path, Argument(help="The run folder of a captioner.")],
    pictures: Annotated[list[str], Argument(help="Picture files: JPEG, PNG, WebP and others.", metavar="PICTURE...")],
    beside: Annotated[
        list[Path] | None, Option(help="Another captioner to show beside it; may be given several times.")
    ] = None,
    view: Annotated[
        Path | None,
        Option(
            help="Draw where it looked at every word: a .html page of all pictures, or a .png or .svg of the first."
        ),
    ] = None,
    beam: Annotated[
        int | None, Option(help="Hypotheses kept at each step; 1 is greedy. Default: the recipe's.")
    ] = None,
    length_penalty: Annotated[float | None, Option(help="Power of the length in a hypothesis' score.")] = None,
    max_length: Annotated[int | None, Option(help="Most tokens of a caption. Default: 60.")] = None,
    nbest: Annotated[int | None, Option(help="Print this many captions of each picture, with scores.")] = None,
    consensus: Annotated[
        bool | None,
        Option(help="Of the beam's captions the one most like all others, not the likeliest. Default: the recipe's."),
    ] = None,
    as_json: Annotated[bool, Option("--json", help="One JSON object for each picture, a line each.")] = False,
) -> "list[Captioned]":
    """Say what pictures show, and where the captioner looked when it said each word.

    One line for each picture: its name, a tab, the caption. Attention is that of the caption that is printed, found by
    beam search or not; it is the mean of the heads of the cross-attention layer that is clearest as a rule.

    Examples:

      saccade caption runs/flickr8k-soft-1 dog.jpg beach.png

      saccade caption runs/flickr8k-soft-1 dog.jpg --beside runs/flickr8k-hard-1 --view captions.html

      saccade caption runs/flickr8k-soft-1 dog.jpg --view dog.png

      saccade caption runs/flickr8k-soft-1 dog.jpg --beam 20 --consensus
    """
    if view is not None:
        _check_view(view, beside=bool(beside))
    runs = [run, *(beside or [])]
    captioners = [captioner(one) for one in runs]
    said = []
    for path, one in zip(runs, captioners, strict=True):
        with counting(f"captioning by {path.name}", len(pictures)) as done:
            found = one.caption(
                pictures,
                on_progress=done,
                beam=beam,
                length_penalty=length_penalty,
                max_length=max_length,
                nbest=nbest,
                consensus=consensus,
            )
        said.append(found)
    for each in zip(*said, strict=True):
        for path, one in zip(runs, each, strict=True):
            print(_shown(one, path.name if beside else "", many=nbest is not None, as_json=as_json))
    if view is not None:
        _draw(said, [path.name for path in runs] if beside else [""], view)
        say(f"attention: {view}")
    return said[0]


def captioner(path: Path) -> "CaptionRun":
    """The run of a captioner; another is refused."""
    from saccade.errors import RunError
    from saccade.runs import CaptionRun, load

    run = load(path)
    if not isinstance(run, CaptionRun):
        raise RunError(f"{path} was trained for task {run.recipe.task}, which does not caption pictures")
    return run


def _shown(one: "Captioned", by: str, *, many: bool, as_json: bool) -> str:
    if as_json:
        candidates = [asdict(candidate) for candidate in one.described.candidates]
        return json.dumps(
            {"picture": one.picture.name, **({"run": by} if by else {}), "candidates": candidates}, ensure_ascii=False
        )
    head = f"{one.picture.name}\t" + (f"{by}\t" if by else "")
    if many:
        return "\n".join(f"{head}{each.score:.4f}\t{in_a_column(each.text)}" for each in one.described.candidates)
    return head + in_a_column(one.text)


def in_a_column(text: str) -> str:
    """Whatever whitespace a captioner writes, tabs and lines are those between captions."""
    return " ".join(text.split())


def _check_view(path: Path, *, beside: bool) -> None:
    """Says that nothing can be drawn there before any picture is captioned."""
    from saccade.errors import DecodingError
    from saccade.view.heatmap import check_picture

    if path.suffix == ".html":
        return
    if beside:
        raise DecodingError("captioners are shown beside each other on a page: give --view a name that ends in .html")
    check_picture(path)


def _draw(said: "list[list[Captioned]]", names: list[str], path: Path) -> None:
    from saccade.files import write_text
    from saccade.view.caption_page import caption_page
    from saccade.view.heatmap import save_figure
    from saccade.view.overlay import draw_caption

    if path.suffix == ".html":
        shown = [each[0].shown(*each[1:], names=names) for each in zip(*said, strict=True)]
        write_text(path, caption_page(shown, title="Captions, and where their words looked"))
        return
    first = said[0][0]
    save_figure(draw_caption(first.pixels(), first.look()), path)
