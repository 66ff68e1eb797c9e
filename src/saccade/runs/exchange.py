"""Models of other libraries as runs, and runs as models of theirs."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from saccade.data.images.tensors import Channels
from saccade.errors import RunError
from saccade.interop.backbones import find_backbone
from saccade.interop.huggingface import Imported, model_folder, read_folder, write_folder
from saccade.models import catalogue
from saccade.models.vit import Vit
from saccade.recipe import load_text, to_yaml
from saccade.runs.bert import BertRun
from saccade.runs.language import LanguageRun
from saccade.runs.pictures import PictureRun
from saccade.runs.run import Trained
from saccade.tasks.corpus import save_tokenizers
from saccade.tasks.sight import Sight
from saccade.tasks.translator import Tokenizers
from saccade.training.folder import RunFolder
from saccade.training.storage import save_tensors
from saccade.training.weights import weights_of

PICTURES = "picture-classification"
READS = {"language-model": "context", "masked-language-model": "context"}  # the key of how much a model reads at once
HALF = (0.5, 0.5, 0.5)  # what their pictures are normalised with when nothing is said


def import_huggingface(folder: Path, path: Path) -> RunFolder:
    """Makes a run of a Hugging Face folder: to look inside, to use, or to begin a training with.

    In the place of a folder stands the name of an installed package that holds one.
    """
    found = read_folder(model_folder(folder))
    origin = f"huggingface:{folder.name}"
    if found.tokenizer is None:
        run = _new_run(path, found.task, origin, {"preset": found.preset, **found.options}, data={"fit": found.fit})
        _sight(found).save(path)
    else:
        run = _new_run(
            path,
            found.task,
            origin,
            {"preset": found.preset, **found.options},
            data={READS.get(found.task, "max_length"): found.options["max_length"]},
            tokenizer={"kind": found.tokenizer.kind, "lowercase": found.tokenizer.lowercases},
        )
        save_tokenizers(path, Tokenizers(found.tokenizer, found.tokenizer, found.labels))
    save_tensors(run.model, found.weights)
    return run


def import_backbone(name: str, file: Path | None, path: Path) -> RunFolder:
    """Makes a run of a CNN with the weights of a file in torchvision's layout, or of the package that carries them.

    Its labels have numbers for names; a file without a head gives a body to begin a training with.
    """
    backbone = find_backbone(name)
    model = backbone.load(file)
    weights = weights_of(model)
    head = weights.get(f"{backbone.head}.bias")
    run = _new_run(path, PICTURES, f"backbone:{name}", {"preset": name})
    labels = () if head is None else tuple(str(number) for number in range(len(head)))
    Sight(backbone.size, "crop", Channels(backbone.mean, backbone.std), labels).save(path)
    save_tensors(run.model, weights)
    return run


def _new_run(
    path: Path,
    task: str,
    origin: str,
    model: dict[str, Any],
    *,
    data: Mapping[str, Any] = MappingProxyType({}),
    tokenizer: Mapping[str, Any] = MappingProxyType({}),
) -> RunFolder:
    """A run folder with a recipe that says as much as is known."""
    recipe = {
        "name": path.name,
        "task": task,
        # Nothing is known of what it learned from; `saccade train --init-from` brings its own.
        "data": {"train": origin, **data},
        "tokenizer": dict(tokenizer),
        "model": model,
    }
    resolved = load_text(yaml.safe_dump(recipe, sort_keys=False), models=catalogue())
    return RunFolder.create(path, to_yaml(resolved))


def _sight(found: Imported) -> Sight:
    mean, std = found.mean or HALF, found.std or HALF
    return Sight(int(found.options["size"]), found.fit, Channels(mean, std), found.labels)


def export_huggingface(run: Trained, folder: Path) -> None:
    """Writes a BERT, a GPT or a ViT as a folder of Hugging Face's library."""
    if not isinstance(run, BertRun | LanguageRun | PictureRun) or "heads" not in run.recipe.model.options:
        raise RunError(
            f"{run.folder.path} is a {run.recipe.model.preset}, which Hugging Face's library has not: "
            "BERT, GPT and ViT can be exported to it"
        )
    weights = {
        name: one
        for name, one in weights_of(run.model).items()
        if not any(name.startswith(f"{head}.") for head in run.untrained)
    }
    if isinstance(run, PictureRun):
        options = run.recipe.model.options
        if isinstance(run.model, Vit):
            # Their model takes pictures of one size: it gets the positions that ours has for the size it saw.
            side = run.sight.pixels // run.model.embedding.patches.patch
            options = {**options, "size": run.sight.pixels}
            weights["embedding.positions.table"] = run.model.embedding.positions(side, side).detach()
        write_folder(
            folder,
            task=run.recipe.task,
            options=options,
            weights=weights,
            labels=run.labels.names,
            fit=run.sight.fit,
            mean=run.sight.channels.mean,
            std=run.sight.channels.std,
        )
        return
    write_folder(
        folder,
        task=run.recipe.task,
        options=run.recipe.model.options,
        weights=weights,
        tokenizer=run.tokenizers.target,
        labels=run.tokenizers.labels,
    )
