"""Models of other libraries as runs, and runs as models of theirs."""

from pathlib import Path

import yaml

from saccade.errors import RunError
from saccade.interop.huggingface import read_folder, write_folder
from saccade.models import catalogue
from saccade.recipe import load_text, to_yaml
from saccade.runs.bert import BertRun
from saccade.runs.language import LanguageRun
from saccade.runs.run import Trained
from saccade.tasks.corpus import save_tokenizers
from saccade.tasks.translator import Tokenizers
from saccade.training.folder import RunFolder
from saccade.training.storage import save_tensors
from saccade.training.weights import weights_of


def import_huggingface(folder: Path, path: Path) -> RunFolder:
    """Makes a run of a Hugging Face folder: to look inside, to use, or to begin a training with."""
    found = read_folder(folder)
    if found.tokenizer is None:
        raise RunError(f"{folder} is a {found.preset} for pictures: a run can be made of a BERT or a GPT-2")
    recipe = {
        "name": path.name,
        "task": found.task,
        # Nothing is known of what it learned from; `saccade train --init-from` brings its own.
        "data": {"train": f"huggingface:{folder.name}"},
        "tokenizer": {"kind": found.tokenizer.kind, "lowercase": found.tokenizer.lowercases},
        "model": {"preset": found.preset, **found.options},
    }
    resolved = load_text(yaml.safe_dump(recipe, sort_keys=False), models=catalogue())
    run = RunFolder.create(path, to_yaml(resolved))
    save_tokenizers(path, Tokenizers(found.tokenizer, found.tokenizer, found.labels))
    save_tensors(run.model, found.weights)
    return run


def export_huggingface(run: Trained, folder: Path) -> None:
    """Writes a BERT or a GPT as a folder of Hugging Face's library."""
    if not isinstance(run, BertRun | LanguageRun) or "heads" not in run.recipe.model.options:
        raise RunError(
            f"{run.folder.path} is a {run.recipe.model.preset}, which Hugging Face's library has not: "
            "BERT and GPT can be exported to it"
        )
    weights = {
        name: one
        for name, one in weights_of(run.model).items()
        if not any(name.startswith(f"{head}.") for head in run.untrained)
    }
    write_folder(
        folder,
        task=run.recipe.task,
        options=run.recipe.model.options,
        weights=weights,
        tokenizer=run.tokenizers.target,
        labels=run.tokenizers.labels,
    )
