"""Two-way maps between our tensors and another library's: every tensor on both sides is accounted for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import Tensor

from saccade.errors import ModelError


@dataclass(frozen=True)
class Entry:
    """One of our tensors, and those of theirs that lie in it one below the other; ``turned``: theirs transposed."""

    ours: str
    theirs: tuple[str, ...]
    turned: bool = False

    def to_ours(self, weights: Mapping[str, Tensor]) -> Tensor:
        parts = [weights[name].float() for name in self.theirs]
        return torch.cat([part.t() for part in parts] if self.turned else parts).contiguous()

    def to_theirs(self, tensor: Tensor) -> dict[str, Tensor]:
        parts = tensor.chunk(len(self.theirs))
        return {
            name: (part.t() if self.turned else part).contiguous()
            for name, part in zip(self.theirs, parts, strict=True)
        }


@dataclass(frozen=True)
class Layout:
    """All entries; which of their tensors are ``copies`` of others, and which (patterns) are no weights at all."""

    entries: tuple[Entry, ...]
    copies: Mapping[str, str]
    buffers: tuple[str, ...] = ()
    promised: str = "the weights that its config.json promises"

    def to_ours(
        self, weights: Mapping[str, Tensor], shapes: Mapping[str, Sequence[int]], *, origin: str
    ) -> dict[str, Tensor]:
        """Our tensors of these shapes; a missing, an unexpected and a misshapen one are errors, told all at once."""
        known = {name for entry in self.entries for name in entry.theirs}
        weights = {name: one for name, one in weights.items() if not self._is_buffer(name)}
        for copy, original in self.copies.items():
            if copy in weights and original in weights and not torch.equal(weights.pop(copy), weights[original]):
                raise ModelError(f"{origin}: {copy} differs from {original}, with which this model shares its weights")
        missing = [name for name in sorted(known) if name not in weights]
        unexpected = [name for name in weights if name not in known]
        found = {
            entry.ours: entry.to_ours(weights)
            for entry in self.entries
            if all(name in weights for name in entry.theirs)
        }
        wrong = [
            f"{name} {tuple(tensor.shape)} for {tuple(shapes[name])}"
            for name, tensor in found.items()
            if tuple(tensor.shape) != tuple(shapes[name])
        ]
        problems = {"missing": missing, "unexpected": unexpected, "of another shape": wrong}
        if any(problems.values()):
            said = "; ".join(f"{label}: {_some(names)}" for label, names in problems.items() if names)
            raise ModelError(f"{origin} does not hold {self.promised} ({said})")
        return found

    def to_theirs(self, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Their tensors; copies are left out, as their own files leave them out."""
        return {name: part for entry in self.entries for name, part in entry.to_theirs(weights[entry.ours]).items()}

    def _is_buffer(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.buffers)


def checked_options(
    config: Mapping[str, Any], names: Mapping[str, str], fixed: Mapping[str, Any], *, origin: str
) -> dict[str, Any]:
    """Our options from their configuration by ``names``; what is ``fixed`` cannot be otherwise in our models."""
    for key, expected in fixed.items():
        if config.get(key, expected) != expected:
            raise ModelError(f"{origin}: {key} is {config[key]!r}; such a model has {expected!r} here")
    missing = [theirs for theirs in names.values() if theirs not in config]
    if missing:
        raise ModelError(f"{origin} does not say {', '.join(missing)}")
    return {ours: config[theirs] for ours, theirs in names.items()}


def labels_of(config: Mapping[str, Any], count: int) -> tuple[str, ...]:
    """The names of the labels; where the configuration has none, those that their library gives ``count`` labels."""
    named = config.get("id2label") or {}
    return tuple(str(named[key]) for key in sorted(named, key=int)) or unnamed(count)


def unnamed(count: int) -> tuple[str, ...]:
    """What their library calls labels that have no names."""
    return tuple(f"LABEL_{number}" for number in range(count))


def affine(ours: str, theirs: str, *, turned: bool = False) -> tuple[Entry, ...]:
    """Weight and bias of a linear layer or a norm."""
    return (
        Entry(f"{ours}.weight", (f"{theirs}.weight",), turned),
        Entry(f"{ours}.bias", (f"{theirs}.bias",)),
    )


def encoder_block(ours: str, theirs: str, *, attention: str, norms: tuple[str, str]) -> tuple[Entry, ...]:
    """A block of an encoder as the files of BERT and ViT have it, which differ in where two things lie.

    ``attention`` holds the three projections; ``norms`` are those of the attention and of the feed-forward layers.
    """
    projected = [f"{theirs}.{attention}.{name}" for name in ("query", "key", "value")]
    return (
        Entry(f"{ours}.self_attention.in_weight", tuple(f"{name}.weight" for name in projected)),
        Entry(f"{ours}.self_attention.in_bias", tuple(f"{name}.bias" for name in projected)),
        *affine(f"{ours}.self_attention.out", f"{theirs}.attention.output.dense"),
        *affine(f"{ours}.self_residual.norm", f"{theirs}.{norms[0]}"),
        *affine(f"{ours}.feed_forward.inner", f"{theirs}.intermediate.dense"),
        *affine(f"{ours}.feed_forward.outer", f"{theirs}.output.dense"),
        *affine(f"{ours}.ff_residual.norm", f"{theirs}.{norms[1]}"),
    )


def _some(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
