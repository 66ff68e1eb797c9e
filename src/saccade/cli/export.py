"""``saccade export``."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from saccade.cli.console import say


def export(
    run: Annotated[Path, Argument(help="A run folder.")],
    to: Annotated[Literal["ctranslate2"], Option(help="The format to write.")] = "ctranslate2",
    precision: Annotated[Literal["float32", "int8"], Option(help="How the weights are kept.")] = "float32",
    output: Annotated[Path | None, Option(help="The folder to make. Default: RUN/FORMAT.")] = None,
) -> Path:
    """Write a trained model for another engine.

    Example:

      saccade export runs/demo-1 --to ctranslate2 --precision int8
    """
    from saccade.interop.ctranslate2 import export_ctranslate2
    from saccade.runs import load_translator

    loaded = load_translator(run)
    folder = output or run / to
    tokenizers = loaded.tokenizers
    export_ctranslate2(loaded.model, tokenizers.source, tokenizers.target, folder, precision=precision)
    say(f"{to}: {folder}")
    return folder
