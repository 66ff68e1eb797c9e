"""The optimisers, with torch's fused kernels, and their state as plain tensors by parameter name."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from saccade.errors import RunError
from saccade.recipe import TrainSection
from saccade.training.muon import Muon


def make_optimizer(model: nn.Module, settings: TrainSection) -> torch.optim.Optimizer:
    """Adam, AdamW or Muon. Weight decay is for matrices; biases, norms and other vectors are left alone."""
    learning = [p for p in model.parameters() if p.requires_grad]
    matrices = [p for p in learning if p.ndim > 1]
    vectors: dict[str, Any] = {"params": [p for p in learning if p.ndim <= 1], "weight_decay": 0.0}
    numbers: dict[str, Any] = {
        "lr": settings.lr,
        "betas": settings.betas,
        "eps": settings.eps,
        "weight_decay": settings.weight_decay,
        "fused": True,
    }
    if settings.optimizer == "muon":
        hidden = _hidden(model)
        others = [p for p in matrices if all(p is not one for one in hidden)]
        rounded = settings.precision == "bfloat16"
        return Muon(hidden, [{"params": others}, vectors], rounded=rounded, **numbers)
    kind = torch.optim.AdamW if settings.optimizer == "adamw" else torch.optim.Adam
    return kind([{"params": matrices}, vectors], **numbers)


def _hidden(model: nn.Module) -> list[nn.Parameter]:
    """The matrices between the embeddings and the head that answers; kernels of convolutions are such too."""
    ends = {"embedding", "output", *getattr(model, "HEADS", ())}
    outer: set[int] = set()
    kernels: set[int] = set()
    for name, module in model.named_modules():
        if isinstance(module, nn.Embedding) or name in ends:
            outer.update(map(id, module.parameters()))
        elif isinstance(module, nn.Conv1d | nn.Conv2d):
            kernels.add(id(module.weight))
    hidden = (p for p in model.parameters() if p.requires_grad and (p.ndim == 2 or id(p) in kernels))
    return [p for p in hidden if id(p) not in outer]


def optimizer_tensors(optimizer: torch.optim.Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """``NAME/exp_avg``, ``NAME/exp_avg_sq``, ``NAME/step`` for every parameter NAME; of Muon's ``NAME/momentum``."""
    return {
        f"{name}/{key}": value
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state[parameter].items()
    }


def load_optimizer_tensors(optimizer: torch.optim.Optimizer, model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        own = {key.rpartition("/")[2]: value for key, value in tensors.items() if key.rpartition("/")[0] == name}
        if not own:
            raise RunError(f"the checkpoint has no optimiser state for {name}: it belongs to another model")
        # clone: tensors straight from a file are not aligned as torch's own, and kernels may then round differently
        optimizer.state[parameter] = {key: value.clone() for key, value in own.items()}
