"""``saccade export``."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from saccade.cli.console import say


def export(
    run: Annotated[Path, Argument(help="A run folder.")],
    to: Annotated[
        Literal["ctranslate2", "huggingface"],
        Option(help="The format to write: CTranslate2 for translators, Hugging Face for BERT, GPT and ViT."),
    ] = "ctranslate2",
    precision: Annotated[
        Literal["float32", "int8"], Option(help="How the weights are kept; int8 for CTranslate2 only.")
    ] = "float32",
    output: Annotated[Path | None, Option(help="The folder to make. Default: RUN/FORMAT.")] = None,
) -> Path:
    """Write a trained model for another engine.

    Examples:

      saccade export runs/demo-1 --to ctranslate2 --precision int8

      saccade export runs/bert-1 --to huggingface
    """
    from saccade.errors import RunError
    from saccade.interop.ctranslate2 import export_ctranslate2
    from saccade.runs import export_huggingface, load, load_translator

    folder = output or run / to
    if to == "huggingface":
        if precision != "float32":
            raise RunError(f"--precision {precision} is for CTranslate2: Hugging Face's folder holds float32")
        export_huggingface(load(run), folder)
    else:
        translator = load_translator(run)
        tokenizers = translator.tokenizers
        export_ctranslate2(translator.model, tokenizers.source, tokenizers.target, folder, precision=precision)
    say(f"{to}: {folder}")
    return folder
