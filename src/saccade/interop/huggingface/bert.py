"""BERT in Hugging Face's layout."""

from collections.abc import Mapping, Sequence
from typing import Any

from saccade.errors import ModelError
from saccade.interop.huggingface.layout import Entry, Layout, affine, checked_options, encoder_block

# For each of our tasks the class of theirs that has its heads.
ARCHITECTURES = {
    "masked-language-model": "BertForPreTraining",
    "classification": "BertForSequenceClassification",
    "regression": "BertForSequenceClassification",
    "tagging": "BertForTokenClassification",
}
OPTIONS = {
    "dim": "hidden_size",
    "heads": "num_attention_heads",
    "layers": "num_hidden_layers",
    "ff_dim": "intermediate_size",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
    "max_length": "max_position_embeddings",
    "eps": "layer_norm_eps",
}
# What the model cannot be told: anything else would be another model under the same names.
FIXED = {"hidden_act": "gelu", "position_embedding_type": "absolute", "type_vocab_size": 2, "is_decoder": False}
LABELS = 2  # where nothing is said
HEADS = {
    "pooler": affine("pooler.dense", "bert.pooler.dense"),
    "words": (
        *affine("words.dense", "cls.predictions.transform.dense"),
        *affine("words.norm", "cls.predictions.transform.LayerNorm"),
        Entry("words.bias", ("cls.predictions.bias",)),
    ),
    "next": affine("next", "cls.seq_relationship"),
    "labels": affine("labels", "classifier"),
}


def options_of(config: Mapping[str, Any], *, origin: str) -> dict[str, Any]:
    """Our options from their configuration."""
    return checked_options(config, OPTIONS, FIXED, origin=origin)


def refuse_own_heads(options: Mapping[str, Any]) -> None:
    """Their taggers read the last layer through one linear layer, their classifiers the first token."""
    for key, expected in {"read": "last", "head": "linear", "pool": "first"}.items():
        if options.get(key, expected) != expected:
            raise ModelError(f"model.{key} is {options[key]}: Hugging Face's models have {expected} only")


def config_of(options: Mapping[str, Any], *, task: str, vocab_size: int, labels: Sequence[str]) -> dict[str, Any]:
    """Their configuration from our options."""
    config = {theirs: options[ours] for ours, theirs in OPTIONS.items()}
    if task == "regression":
        config |= {"num_labels": 1, "problem_type": "regression"}
    elif labels:
        config |= {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
    return {
        "architectures": [ARCHITECTURES[task]],
        "model_type": "bert",
        "vocab_size": vocab_size,
        **FIXED,
        **config,
    }


def task_of(config: Mapping[str, Any]) -> str:
    """What a model of theirs is for; whatever is no classifier is one to begin with."""
    name = str((config.get("architectures") or ["BertModel"])[0])
    if name == ARCHITECTURES["tagging"]:
        return "tagging"
    if name != ARCHITECTURES["classification"]:
        return "masked-language-model"
    labels = config.get("id2label") or {}
    one = config.get("num_labels", len(labels)) == 1 or config.get("problem_type") == "regression"
    return "regression" if one else "classification"


def layout(layers: int, heads: Sequence[str]) -> Layout:
    """The body and these heads. Files of the bare body have no ``bert.`` before their names: see ``with_prefix``."""
    body = "bert.embeddings"
    entries = [
        Entry("embedding.tokens.weight", (f"{body}.word_embeddings.weight",)),
        Entry("embedding.segments.weight", (f"{body}.token_type_embeddings.weight",)),
        Entry("embedding.positions.table.weight", (f"{body}.position_embeddings.weight",)),
        *affine("embedding.norm", f"{body}.LayerNorm"),
    ]
    for number in range(layers):
        entries += encoder_block(
            f"encoder.layers.{number}",
            f"bert.encoder.layer.{number}",
            attention="attention.self",
            norms=("attention.output.LayerNorm", "output.LayerNorm"),
        )
    return Layout(
        entries=(*entries, *(entry for head in heads for entry in HEADS[head])),
        copies={
            "cls.predictions.decoder.weight": f"{body}.word_embeddings.weight",
            "cls.predictions.decoder.bias": "cls.predictions.bias",
        },
        buffers=("*.position_ids",),
    )


def with_prefix(weights: Mapping[str, Any]) -> dict[str, Any]:
    """The names that a model with heads has; old files say gamma and beta for weight and bias of a norm."""
    renamed = {name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias"): one
               for name, one in weights.items()}  # fmt: skip
    return {
        name if name.startswith(("bert.", "cls.", "classifier.")) else f"bert.{name}": one
        for name, one in renamed.items()
    }


def heads_in(weights: Mapping[str, Any]) -> list[str]:
    """The heads that a file has; one of which there is a part must be there as a whole."""
    return [
        head for head, entries in HEADS.items() if any(name in weights for entry in entries for name in entry.theirs)
    ]
