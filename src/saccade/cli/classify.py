"""``saccade classify``."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import say

if TYPE_CHECKING:
    from saccade.runs import ClassifierRun, PictureRun, TaggerRun


def classify(
    run: Annotated[Path, Argument(help="The run folder of a classifier or a tagger.")],
    given: Annotated[
        list[str] | None,
        Argument(
            help="A text, or the two texts of a pair, which in lines stand before and behind a tab; or files of "
            "pictures. Default: standard input or --input, one text or one picture's file a line.",
            metavar="[TEXT [SECOND] | PICTURE...]",
        ),
    ] = None,
    input: Annotated[Path | None, Option(help="Texts, or files of pictures, one a line.")] = None,
    view: Annotated[
        Path | None,
        Option(help="Also draw what was attended to in TEXT or PICTURE: a .html page, or a .png or .svg picture."),
    ] = None,
    as_json: Annotated[bool, Option("--json", help="One JSON object a line, with all probabilities.")] = False,
) -> None:
    """Say the label of a text, of a pair or of pictures, the number that a regression finds, or a tag for each word.

    Examples:

      saccade classify runs/glue-sst2-1 "a gorgeous, witty, seductive movie"

      saccade classify runs/glue-mrpc-1 "He bought a car." "A car was bought by him." --view pair.html

      saccade classify runs/conll-1 "John lives in New York" --json

      saccade classify runs/cifar10-vit-1 a.jpg b.png
    """
    from saccade.cli.lines import lines_of
    from saccade.cli.view import draw
    from saccade.errors import DecodingError
    from saccade.runs import ClassifierRun, PictureRun, TaggerRun, load

    if given and input is not None:
        raise DecodingError(f"{given[0]!r} and --input {input} are both given: leave one of them out")
    loaded = load(run)
    if isinstance(loaded, PictureRun):
        _classify_pictures(loaded, given or list(lines_of(input)), view, as_json=as_json)
        return
    if not isinstance(loaded, ClassifierRun | TaggerRun):
        raise DecodingError(f"{run} was trained for task {loaded.recipe.task}, which gives no labels")
    if given and len(given) > 1 and isinstance(loaded, TaggerRun):
        raise DecodingError(f"{len(given)} texts are given: a tagger reads one; more go through --input")
    if given and len(given) > 2:
        raise DecodingError(f"{len(given)} texts are given: expected one or a pair; more go through --input")
    text, second = [*(given or []), None, None][:2]
    if view is not None and text is None:
        raise DecodingError("--view draws one text: give it after the run")
    lines = list(lines_of(input)) if text is None else [text if second is None else f"{text}\t{second}"]
    for line in _answers(loaded, lines, as_json=as_json):
        print(line)
    if view is not None and text is not None:
        draw(loaded.look(text, second), view, title=f"Attention of {run.name}")
        say(f"attention: {view}")


def _classify_pictures(run: "PictureRun", pictures: list[str], view: Path | None, *, as_json: bool) -> None:
    from saccade.cli.view import draw_picture
    from saccade.errors import DecodingError

    if view is not None and len(pictures) != 1:
        raise DecodingError(f"--view draws one picture: {len(pictures)} are given")
    for one in run.classify(pictures):
        line = json.dumps(asdict(one), ensure_ascii=False)
        print(line if as_json else f"{one.picture}  {one.label}  {one.probabilities[one.label]:.1%}")
    if view is not None:
        draw_picture(run.look(pictures[0]), view)
        say(f"attention: {view}")


def _answers(run: "ClassifierRun | TaggerRun", lines: list[str], *, as_json: bool) -> list[str]:
    from saccade.errors import DataError
    from saccade.runs import TaggerRun

    if empty := next((number for number, line in enumerate(lines, start=1) if not line.strip()), None):
        raise DataError(f"line {empty:,} is empty: expected a text on every line")
    if isinstance(run, TaggerRun):
        found = run.tag([line.split() for line in lines])
        if as_json:
            return [json.dumps({"words": one.words, "tags": one.tags}, ensure_ascii=False) for one in found]
        return ["  ".join(f"{word}/{tag}" for word, tag in zip(one.words, one.tags, strict=True)) for one in found]
    pairs = [line.partition("\t") for line in lines]
    if len({bool(tab) for _, tab, _ in pairs}) > 1:
        raise DataError("some lines are pairs, with a tab between their texts, and some are not: give one kind")
    seconds = [second for _, _, second in pairs] if pairs and pairs[0][1] else None
    said = run.classify([first for first, _, _ in pairs], seconds)
    if as_json:
        return [json.dumps(asdict(one), ensure_ascii=False) for one in said]
    if run.finds_numbers:
        return [f"{one.number:.3f}" for one in said]
    return [f"{one.label}  {one.probabilities[str(one.label)]:.1%}" for one in said]
