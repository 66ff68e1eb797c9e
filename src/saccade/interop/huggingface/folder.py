"""A whole folder: what kind of model it holds, with its options, weights, tokenizer and labels."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from saccade.data.images.reading import Fit
from saccade.data.tokenizers import Tokenizer
from saccade.errors import DataError, ModelError
from saccade.files import write_text
from saccade.interop.huggingface import bert, gpt2, vit
from saccade.interop.huggingface.files import read_json, read_weights, write_weights
from saccade.interop.huggingface.layout import Layout, labels_of, unnamed
from saccade.interop.huggingface.tokenizer import pads_apart, read_tokenizer, write_tokenizer
from saccade.models import Vocabulary, build_model, find_preset, presets

# The preset whose options every model of the family fills in.
PRESETS = {"bert": "bert-base", "gpt2": "gpt2", "vit": "vit-base"}

Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class Imported:
    """A model of theirs as one of ours. ``weights`` lack the heads that the folder does not have.

    One for pictures has no tokenizer; it expects squares made by ``fit``, (x − mean) / std of values x from 0 to 1.
    """

    task: str
    preset: str
    options: Mapping[str, Any]
    weights: Mapping[str, Tensor]
    tokenizer: Tokenizer | None
    labels: tuple[str, ...]
    fit: Fit = "squash"
    mean: Rgb | None = None
    std: Rgb | None = None


def read_folder(folder: Path) -> Imported:
    """Reads a Hugging Face folder of a BERT, a GPT-2 or a ViT; every tensor is accounted for."""
    if not folder.is_dir():
        raise DataError(
            f"{folder}: no such folder, no installed package of that name; expected one with config.json and weights"
        )
    config = read_json(folder / "config.json")
    family = config.get("model_type")
    if family not in PRESETS:
        raise ModelError(f"{folder}: models of type {family!r} are not known here; known are {', '.join(PRESETS)}")
    return _read_pictures(folder, config) if family == "vit" else _read_texts(folder, config, family)


def _read_texts(folder: Path, config: Mapping[str, Any], family: str) -> Imported:
    tokenizer = read_tokenizer(folder)
    size = config.get("vocab_size")
    if not isinstance(size, int) or size < tokenizer.vocab_size:
        raise ModelError(
            f"{folder}: config.json says vocab_size {size}, but the tokenizer has {tokenizer.vocab_size:,} tokens"
        )
    weights = read_weights(folder)
    labels: tuple[str, ...] = ()
    layout: Layout
    if family == "bert":
        task, options = bert.task_of(config), bert.options_of(config, origin=f"{folder}/config.json")
        weights = bert.with_prefix(weights)
        layout = bert.layout(options["layers"], bert.heads_in(weights))
        if task in ("classification", "tagging"):
            # Their files do not name labels that are as many as their library expects.
            head = weights.get("classifier.weight")
            labels = labels_of(config, bert.LABELS if head is None else len(head))
    else:
        task, options = "language-model", gpt2.options_of(config, origin=f"{folder}/config.json")
        weights = gpt2.with_prefix(weights)
        layout = gpt2.layout(options["layers"])
    vocabulary = Vocabulary(size, size, shared=True, pad_id=tokenizer.pad_id, labels=len(labels) or 1)
    with torch.device("meta"):
        model = build_model(PRESETS[family], options, vocabulary, task=task)
    found = _fitted(folder, model, layout, weights, task=task)
    for name in {"embedding.tokens.weight", "words.bias"} & found.keys():
        found[name] = found[name][: tokenizer.vocab_size].clone()  # some files are filled up to a round number
    return Imported(task, _preset(family, options), options, found, tokenizer, labels)


def _read_pictures(folder: Path, config: Mapping[str, Any]) -> Imported:
    options = vit.options_of(config, origin=f"{folder}/config.json")
    weights = vit.with_prefix(read_weights(folder))
    head = "classifier.weight" in weights
    labels = labels_of(config, len(weights["classifier.weight"])) if head else ()
    with torch.device("meta"):
        model = build_model(PRESETS["vit"], options, Vocabulary(0, 0, shared=True, labels=len(labels)), task=vit.TASK)
    found = _fitted(folder, model, vit.layout(options["layers"], head=head), weights, task=vit.TASK)
    return Imported(vit.TASK, _preset("vit", options), options, found, None, labels, **vit.read_preprocessing(folder))


def _preset(family: str, options: Mapping[str, Any]) -> str:
    """The preset of just this shape, or that of the family."""
    usual = find_preset(PRESETS[family])
    shape = {key: value for key, value in options.items() if key not in usual.free}
    for one in presets():
        if one.builds == usual.builds and shape.items() <= one.options.model_dump().items():
            return one.name
    return usual.name


def _fitted(
    folder: Path, model: nn.Module, layout: Layout, weights: Mapping[str, Tensor], *, task: str
) -> dict[str, Tensor]:
    """Our tensors, each with a place in the model."""
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    useless = [entry.ours for entry in layout.entries if entry.ours not in shapes]
    if useless:
        raise ModelError(f"{folder}: a model for {task} has no place for {', '.join(useless)}")
    return layout.to_ours(weights, shapes, origin=str(folder))


def write_folder(
    folder: Path,
    *,
    task: str,
    options: Mapping[str, Any],
    weights: Mapping[str, Tensor],
    tokenizer: Tokenizer | None = None,
    labels: Sequence[str] = (),
    fit: Fit = "squash",
    mean: Rgb | None = None,
    std: Rgb | None = None,
) -> None:
    """Writes a BERT, a GPT-2 or a ViT so that Hugging Face's library reads it."""
    if task == vit.TASK:
        vit.refuse_other_models(options)
        head = weights.get("labels.weight")
        layout = vit.layout(options["layers"], head=head is not None)
        labels = () if head is None else labels or unnamed(len(head))
        _write(folder, vit.config_of(options, labels=labels), layout.to_theirs(weights))
        preprocessing = vit.preprocessing_of(options["size"], fit, mean or vit.HALF, std or vit.HALF)
        write_text(folder / vit.PREPROCESSING, json.dumps(preprocessing, indent=2) + "\n")
        return
    if tokenizer is None:
        raise ModelError(f"a model for {task} is written together with its tokenizer, and none was given")
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
        config = gpt2.config_of(options, vocab_size=vocab_size, start_id=tokenizer.bos_id, end_id=tokenizer.eos_id)
        if pads_apart(tokenizer):
            config["pad_token_id"] = tokenizer.pad_id
    _write(folder, config, layout.to_theirs(weights))
    write_tokenizer(folder, tokenizer, max_length=options["max_length"])


def _write(folder: Path, config: Mapping[str, Any], weights: Mapping[str, Tensor]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "config.json", json.dumps(config, indent=2) + "\n")
    write_weights(folder, weights)
