"""``saccade train`` and ``saccade resume``."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from saccade.cli.console import program, say

if TYPE_CHECKING:
    from saccade.recipe import Recipe
    from saccade.runs import Trained
    from saccade.training.folder import RunFolder


def train(
    recipe: Annotated[
        str, Argument(help="A recipe file, the name of a shipped recipe (`saccade recipes`), or a preset's name.")
    ],
    overrides: Annotated[
        list[str] | None,
        Argument(
            help='Keys to set, such as data.train=my.tsv model.dropout=0.2 train.budget="20 minutes".',
            metavar="[KEY=VALUE]...",
        ),
    ] = None,
    run: Annotated[Path | None, Option(help="The run folder to make. Default: runs/NAME-n.")] = None,
    init_from: Annotated[
        Path | None, Option(help="A trained run: begin with its weights, and its tokenizer, instead of random weights.")
    ] = None,
) -> "Trained":
    """Train a model from raw data to a run folder: tokenizer, weights, metrics and a report.

    Ctrl-C saves and leaves; `saccade resume RUN` goes on, and ends with the same weights as if nothing had happened.

    Examples:

      saccade train transformer-tiny data.train=pairs.tsv

      saccade train scenes-en-fr train.budget="2 minutes" --run runs/first

      saccade train transformer-small "data.train=corpus/train.{en,de}" "data.valid=corpus/val.{en,de}"

      saccade train rnn-lm data.train=my.txt

      saccade train glue-sst2 --init-from runs/minilm

      saccade train vit-mini data.train=pets
    """
    from shutil import rmtree

    from saccade.cli.beginning import beginning
    from saccade.errors import SaccadeError
    from saccade.recipe import to_yaml
    from saccade.training.folder import RunFolder, next_run

    resolved, origin = beginning(recipe, overrides or [], init_from)
    folder = RunFolder.create(run or next_run(resolved.name), to_yaml(resolved), init_from=origin)
    try:
        return _fit(resolved, folder)
    except SaccadeError:
        if not folder.metrics.exists():  # it never began: the same --run stays free for the mended command
            rmtree(folder.path)
        raise


def resume(
    run: Annotated[Path, Argument(help="The run folder of a training that was stopped or killed.")],
    overrides: Annotated[
        list[str] | None,
        Argument(help='Keys of `train` to change, such as train.budget="60 epochs".', metavar="[KEY=VALUE]..."),
    ] = None,
) -> "Trained":
    """Go on with a training from its last checkpoint, exactly where it was.

    Without overrides the result is bit for bit that of a training that was never stopped. A finished run goes on when
    it is given a larger budget.
    """
    from saccade.errors import RecipeError
    from saccade.files import write_text
    from saccade.models import catalogue
    from saccade.recipe import load, to_yaml
    from saccade.training.folder import RunFolder

    for override in overrides or []:
        if not override.startswith("train."):
            raise RecipeError(
                f"{override}: a training that goes on may change only keys of train, such as train.budget; "
                "for anything else start anew with `saccade train --init-from`"
            )
    folder = RunFolder.open(run)
    resolved = load(folder.recipe, overrides or [], models=catalogue())
    if overrides:
        with folder.training():  # a training under way keeps its recipe
            write_text(folder.recipe, to_yaml(resolved))
    return _fit(resolved, folder)


def _next(trained: "Trained") -> list[str]:
    """What can be done with a run of this task; there is nothing to see of a model without attention."""
    from saccade.runs import Run

    task, run = trained.recipe.task, trained.folder.path
    languages = trained.tokenizers.languages if isinstance(trained, Run) else ()
    to = f" --to {languages[-1]}" if len(languages) > 1 else ""
    asking = {
        "translation": [f'echo "…" | {program()} translate {run}{to}'],
        "language-model": [f'{program()} generate {run} --prompt "…"'],
        "masked-language-model": [f'{program()} fill {run} "… [MASK] …"'],
        "classification": [f'{program()} classify {run} "…"'],
        "regression": [f'{program()} classify {run} "…" "…"'],
        "tagging": [f'{program()} classify {run} "…"'],
        "picture-classification": [f"{program()} classify {run} PICTURE"],
        "captioning": [f"{program()} caption {run} PICTURE --view captions.html"],
    }[task]
    shown = "PICTURE" if task == "picture-classification" else '"…"'
    seeing = [] if task == "captioning" or not trained.layers else [f"{program()} view {run} {shown}{to}"]
    return [*asking, f"{program()} evaluate {run} --data …", *seeing]


def _fit(recipe: "Recipe", folder: "RunFolder") -> "Trained":
    """Trains, writes the report, and says what came out and what can be done with it."""
    import json

    from torch import nn

    from saccade.cli.report import write_report
    from saccade.cli.watching import ConsoleWatch, score_words
    from saccade.runs import load as load_run
    from saccade.tasks.base import Task
    from saccade.training.setup import fit

    say(f"run: {folder.path}")
    with ConsoleWatch(recipe.train.budget) as console:

        def watch(task: Task, model: nn.Module) -> ConsoleWatch:
            parameters = sum(parameter.numel() for parameter in model.parameters())
            say(f"model: {recipe.model.preset}, {parameters:,} parameters")
            console.counted = task.facts().counted
            padding = f", {task.batches.padding_share(0):.1%} padding" if console.counted == "tokens" else ""
            most = f"{task.batches.batch_tokens:,} {console.counted}"
            say(f"batches: {len(task.batches.epoch(0)):,} an epoch of at most {most}{padding}")
            return console

        ending = fit(recipe, folder, watch=watch, say=say)
    if ending in ("interrupted", "terminated"):
        say(f"stopped and saved; go on with: {program()} resume {folder.path}")
        if ending == "terminated":
            raise SystemExit(128 + signal.SIGTERM)
        raise KeyboardInterrupt
    run = load_run(folder.path)
    write_report(run)
    best = max(
        (row for row in map(json.loads, folder.metrics.read_text().splitlines()) if row["kind"] == "valid"),
        key=lambda row: (row["best"], row["step"]),
    )
    scores = ", ".join((f"validation loss {best['loss']:.3f}", *score_words(best)))
    say(
        f"done ({'no better score for a while' if ending == 'patience' else recipe.train.budget}): best at step "
        f"{best['step']:,}, {scores}\n"
        f"report: {folder.report}\n"
        f"next: {'  ·  '.join(_next(run))}"
    )
    return run
