"""A whole folder: what kind of model it holds, with its options, weights, tokenizer and labels."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from saccade.data.tokenizers import Tokenizer
from saccade.errors import DataError, ModelError
from saccade.files import write_text
from saccade.interop.huggingface import bert, gpt2
from saccade.interop.huggingface.files import read_json, read_weights, write_weights
from saccade.interop.huggingface.layout import Layout
from saccade.interop.huggingface.tokenizer import read_tokenizer, write_tokenizer
from saccade.models import Vocabulary, build_model

# The preset whose options every model of the family fills in.
PRESETS = {"bert": "bert-base", "gpt2": "gpt2"}


@dataclass(frozen=True)
class Imported:
    """A model of theirs as one of ours. ``weights`` lack the heads that the folder does not have."""

    task: str
    preset: str
    options: Mapping[str, Any]
    weights: Mapping[str, Tensor]
    tokenizer: Tokenizer
    labels: tuple[str, ...]


def read_folder(folder: Path) -> Imported:
    """Reads a Hugging Face folder of a BERT or a GPT-2; every tensor is accounted for."""
    if not folder.is_dir():
        raise DataError(
            f"{folder}: no such folder, no installed package of that name; expected one with config.json and weights"
        )
    config = read_json(folder / "config.json")
    family = config.get("model_type")
    if family not in PRESETS:
        raise ModelError(f"{folder}: models of type {family!r} are not known here; known are {', '.join(PRESETS)}")
    tokenizer = read_tokenizer(folder)
    size = config.get("vocab_size")
    if not isinstance(size, int) or size < tokenizer.vocab_size:
        raise ModelError(
            f"{folder}: config.json says vocab_size {size}, but the tokenizer has {tokenizer.vocab_size:,} tokens"
        )
    origin, weights = str(folder), read_weights(folder)
    labels: tuple[str, ...] = ()
    layout: Layout
    if family == "bert":
        task, options = bert.task_of(config), bert.options_of(config, origin=f"{folder}/config.json")
        weights = bert.with_prefix(weights)
        layout = bert.layout(options["layers"], bert.heads_in(weights))
        if task in ("classification", "tagging"):
            named = config.get("id2label") or {}
            labels = tuple(str(named[key]) for key in sorted(named, key=int))
    else:
        task, options = "language-model", gpt2.options_of(config, origin=f"{folder}/config.json")
        weights = gpt2.with_prefix(weights)
        layout = gpt2.layout(options["layers"])
    vocabulary = Vocabulary(size, size, shared=True, pad_id=tokenizer.pad_id, labels=len(labels) or 1)
    with torch.device("meta"):
        model = build_model(PRESETS[family], options, vocabulary, task=task)
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    useless = [entry.ours for entry in layout.entries if entry.ours not in shapes]
    if useless:
        raise ModelError(f"{folder}: a model for {task} has no place for {', '.join(useless)}")
    found = layout.to_ours(weights, shapes, origin=origin)
    for name in {"embedding.tokens.weight", "words.bias"} & found.keys():
        found[name] = found[name][: tokenizer.vocab_size].clone()  # some files are filled up to a round number
    return Imported(task, PRESETS[family], options, found, tokenizer, labels)


def write_folder(
    folder: Path,
    *,
    task: str,
    options: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    tokenizer: Tokenizer,
    labels: Sequence[str] = (),
) -> None:
    """Writes a BERT or a GPT-2 so that Hugging Face's library reads it."""
    vocab_size = len(weights["embedding.tokens.weight"])
    if task in bert.ARCHITECTURES:
        bert.refuse_own_heads(options)
        heads = [head for head, entries in bert.HEADS.items() if entries[0].ours in weights]
        layout = bert.layout(options["layers"], heads)
        config = bert.config_of(options, task=task, vocab_size=vocab_size, labels=labels)
        config["pad_token_id"] = tokenizer.pad_id
    else:
        gpt2.refuse_own_options(options)
        layout = gpt2.layout(options["layers"])
        config = gpt2.config_of(options, vocab_size=vocab_size, end_id=tokenizer.eos_id)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "config.json", json.dumps(config, indent=2) + "\n")
    write_weights(folder, layout.to_theirs(weights))
    write_tokenizer(folder, tokenizer, max_length=options["max_length"])
