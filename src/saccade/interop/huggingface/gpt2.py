"""GPT-2 in Hugging Face's layout. Its linear layers are kept transposed, with query, key and value side by side."""

from collections.abc import Mapping
from typing import Any

from saccade.errors import ModelError
from saccade.interop.huggingface.layout import Entry, Layout, affine, checked_options

ARCHITECTURE = "GPT2LMHeadModel"
OPTIONS = {
    "dim": "n_embd",
    "heads": "n_head",
    "layers": "n_layer",
    "dropout": "resid_pdrop",
    "attention_dropout": "attn_pdrop",
    "max_length": "n_positions",
}
FIXED = {
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "reorder_and_upcast_attn": False,
    "add_cross_attention": False,
}


def options_of(config: Mapping[str, Any], *, origin: str) -> dict[str, Any]:
    """Our options from their configuration."""
    options = checked_options(config, OPTIONS, FIXED, origin=origin)
    return {**options, "ff_dim": config.get("n_inner") or 4 * options["dim"]}


def refuse_own_options(options: Mapping[str, Any]) -> None:
    """What theirs cannot be told."""
    for key, expected in {"activation": "gelu-tanh", "bias": True, "embeddings": "tied"}.items():
        if options[key] != expected:
            raise ModelError(f"model.{key} is {options[key]}: Hugging Face's GPT-2 has {expected} only")


def config_of(options: Mapping[str, Any], *, vocab_size: int, start_id: int, end_id: int) -> dict[str, Any]:
    """Their configuration from our options."""
    return {
        "architectures": [ARCHITECTURE],
        "model_type": "gpt2",
        "vocab_size": vocab_size,
        "n_inner": options["ff_dim"] or 4 * options["dim"],
        "embd_pdrop": options["dropout"],
        "bos_token_id": start_id,
        "eos_token_id": end_id,
        **FIXED,
        **{theirs: options[ours] for ours, theirs in OPTIONS.items()},
    }


def layout(layers: int) -> Layout:
    entries = [
        Entry("embedding.tokens.weight", ("transformer.wte.weight",)),
        Entry("embedding.positions.table.weight", ("transformer.wpe.weight",)),
    ]
    for number in range(layers):
        ours, theirs = f"decoder.layers.{number}", f"transformer.h.{number}"
        entries += [
            *affine(f"{ours}.self_residual.norm", f"{theirs}.ln_1"),
            Entry(f"{ours}.self_attention.in_weight", (f"{theirs}.attn.c_attn.weight",), turned=True),
            Entry(f"{ours}.self_attention.in_bias", (f"{theirs}.attn.c_attn.bias",)),
            *affine(f"{ours}.self_attention.out", f"{theirs}.attn.c_proj", turned=True),
            *affine(f"{ours}.ff_residual.norm", f"{theirs}.ln_2"),
            *affine(f"{ours}.feed_forward.inner", f"{theirs}.mlp.c_fc", turned=True),
            *affine(f"{ours}.feed_forward.outer", f"{theirs}.mlp.c_proj", turned=True),
        ]
    return Layout(
        entries=(*entries, *affine("decoder.norm", "transformer.ln_f")),
        copies={"lm_head.weight": "transformer.wte.weight"},
        buffers=("*.attn.bias", "*.attn.masked_bias"),
    )


def with_prefix(weights: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name if name.startswith(("transformer.", "lm_head.")) else f"transformer.{name}": one
        for name, one in weights.items()
    }
