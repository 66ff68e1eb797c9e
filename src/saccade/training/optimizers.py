"""The optimisers, with torch's fused kernels, and their state as plain tensors by parameter name."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from saccade.errors import RunError
from saccade.recipe import TrainSection


def make_optimizer(model: nn.Module, settings: TrainSection) -> torch.optim.Optimizer:
    """Adam or AdamW. Weight decay is for matrices; biases, norms and other vectors are left alone."""
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    kind = torch.optim.AdamW if settings.optimizer == "adamw" else torch.optim.Adam
    groups: list[dict[str, Any]] = [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}]
    return kind(
        groups,
        lr=settings.lr,
        betas=settings.betas,
        eps=settings.eps,
        weight_decay=settings.weight_decay,
        fused=True,
    )


def optimizer_tensors(optimizer: torch.optim.Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """``NAME/exp_avg``, ``NAME/exp_avg_sq``, ``NAME/step`` for every parameter NAME."""
    return {
        f"{name}/{key}": value
        for name, parameter in model.named_parameters()
        for key, value in optimizer.state[parameter].items()
    }


def load_optimizer_tensors(optimizer: torch.optim.Optimizer, model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    for name, parameter in model.named_parameters():
        own = {key.rpartition("/")[2]: value for key, value in tensors.items() if key.rpartition("/")[0] == name}
        if not own:
            raise RunError(f"the checkpoint has no optimiser state for {name}: it belongs to another model")
        # clone: tensors straight from a file are not aligned as torch's own, and kernels may then round differently
        optimizer.state[parameter] = {key: value.clone() for key, value in own.items()}
