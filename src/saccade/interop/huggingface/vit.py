"""The Vision Transformer in Hugging Face's layout."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from saccade.data.images.reading import Fit
from saccade.errors import ModelError
from saccade.interop.huggingface.files import read_json
from saccade.interop.huggingface.layout import Entry, Layout, affine, encoder_block
from saccade.models.pictures import TASK as TASK

ARCHITECTURE, BODY = "ViTForImageClassification", "ViTModel"
PREPROCESSING = "preprocessor_config.json"
BICUBIC = 3  # as Pillow numbers its ways to resample
HALF = (0.5, 0.5, 0.5)  # what their pictures are normalised with when nothing is said
OPTIONS = {
    "dim": "hidden_size",
    "heads": "num_attention_heads",
    "layers": "num_hidden_layers",
    "ff_dim": "intermediate_size",
    "dropout": "hidden_dropout_prob",
    "attention_dropout": "attention_probs_dropout_prob",
    "eps": "layer_norm_eps",
    "size": "image_size",
    "patch": "patch_size",
}
FIXED = {"hidden_act": "gelu", "num_channels": 3, "qkv_bias": True}


def options_of(config: Mapping[str, Any], *, origin: str) -> dict[str, Any]:
    """Our options from their configuration."""
    for key, expected in FIXED.items():
        if config.get(key, expected) != expected:
            raise ModelError(f"{origin}: {key} is {config[key]!r}; a ViT here has {expected!r}")
    missing = [theirs for theirs in OPTIONS.values() if theirs not in config]
    if missing:
        raise ModelError(f"{origin} does not say {', '.join(missing)}")
    return {ours: config[theirs] for ours, theirs in OPTIONS.items()}


def refuse_other_models(options: Mapping[str, Any]) -> None:
    """Of the models for pictures theirs has this one only."""
    missing = [name for name in OPTIONS if name not in options]
    if missing:
        raise ModelError(
            f"a model without {', '.join(missing)} is no Vision Transformer: of the models for pictures, "
            "vit-mini, vit-tiny, vit-small and vit-base can be written for Hugging Face's library"
        )


def config_of(options: Mapping[str, Any], *, labels: Sequence[str]) -> dict[str, Any]:
    """Their configuration from our options."""
    return {
        "architectures": [ARCHITECTURE if labels else BODY],
        "model_type": "vit",
        **FIXED,
        **{theirs: options[ours] for ours, theirs in OPTIONS.items()},
        "intermediate_size": options["ff_dim"] or 4 * options["dim"],
        **(
            {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
            if labels
            else {}
        ),
    }


def preprocessing_of(size: int, fit: Fit, mean: Sequence[float], std: Sequence[float]) -> dict[str, Any]:
    """What their library must do with a picture before the model sees it. Their ViT's own way only squashes."""
    square = {"height": size, "width": size}
    shaped = (
        {"image_processor_type": "ViTImageProcessor", "size": square}
        if fit == "squash"
        else {
            "image_processor_type": "CLIPImageProcessor",
            "size": {"shortest_edge": size},
            "do_center_crop": True,
            "crop_size": square,
        }
    )
    return {
        **shaped,
        "do_convert_rgb": True,
        "do_resize": True,
        "resample": BICUBIC,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": list(mean),
        "image_std": list(std),
    }


def read_preprocessing(folder: Path) -> dict[str, Any]:
    """``mean`` and ``std`` with which values from 0 to 1 are normalised, and the ``fit`` of a picture."""
    said = read_json(folder / PREPROCESSING) if (folder / PREPROCESSING).exists() else {}
    found: dict[str, Any] = {"fit": "crop" if said.get("do_center_crop") else "squash"}
    for ours, theirs in (("mean", "image_mean"), ("std", "image_std")):
        given = said.get(theirs, HALF)
        if len(given) != 3:
            raise ModelError(f"{folder / PREPROCESSING}: {theirs} has {len(given)} numbers; a ViT here sees 3 colours")
        found[ours] = (float(given[0]), float(given[1]), float(given[2]))
    return found


def layout(layers: int, *, head: bool) -> Layout:
    """The body, and the labels where there is a ``head``."""
    body = "vit.embeddings"
    entries = [
        Entry("embedding.class_token", (f"{body}.cls_token",)),
        Entry("embedding.positions.table", (f"{body}.position_embeddings",)),
        *affine("embedding.patches.projection", f"{body}.patch_embeddings.projection"),
    ]
    for number in range(layers):
        entries += encoder_block(
            f"encoder.layers.{number}",
            f"vit.encoder.layer.{number}",
            attention="attention.attention",
            norms=("layernorm_before", "layernorm_after"),
        )
    return Layout(
        entries=(
            *entries,
            *affine("encoder.norm", "vit.layernorm"),
            *(affine("labels", "classifier") if head else ()),
        ),
        copies={},
        # Their bare body has a layer on the class token, which their classifiers, as ours, leave out.
        buffers=("vit.pooler.dense.*",),
    )


def with_prefix(weights: Mapping[str, Any]) -> dict[str, Any]:
    return {name if name.startswith(("vit.", "classifier.")) else f"vit.{name}": one for name, one in weights.items()}
