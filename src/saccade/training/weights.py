"""A model's weights by name: out, in, and the mean of several."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor, nn

from saccade.errors import RunError
from saccade.training.storage import load_tensors


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Every parameter once: a matrix that two layers share is listed under its first name.

    With them goes what batch norms keep of the data they saw, but not their count of batches, which changes nothing.
    """
    kept = {name: buffer for name, buffer in model.named_buffers() if buffer.is_floating_point()}
    return {name: parameter.data for name, parameter in model.named_parameters()} | kept


def put_body(model: nn.Module, weights: Mapping[str, Tensor], *, origin: Path) -> tuple[str, ...]:
    """Copies weights into a model whose heads may be others; returned are the heads that keep what they have.

    A head is taken as a whole, where the file has it in the model's shape, or not at all. The body is as with
    ``put_weights``: each of its weights is accounted for. Models that name no ``HEADS`` are all body; those of a family
    name the heads of all of it, since a file may come from any of them.
    """
    own = weights_of(model)
    heads: tuple[str, ...] = getattr(model, "HEADS", ())
    fresh = {
        _head(name, heads)
        for name, parameter in own.items()
        if _head(name, heads) and (name not in weights or weights[name].shape != parameter.shape)
    }
    put_weights(
        model,
        {
            **{name: one for name, one in weights.items() if not _head(name, heads)},
            **{
                name: parameter if _head(name, heads) in fresh else weights[name]
                for name, parameter in own.items()
                if _head(name, heads)
            },
        },
        origin=origin,
    )
    return tuple(head for head in heads if head in fresh)


def _head(name: str, heads: Sequence[str]) -> str | None:
    """The head that a weight belongs to; None if it is of the body."""
    return next((head for head in heads if name == head or name.startswith(f"{head}.")), None)


def put_weights(model: nn.Module, weights: Mapping[str, Tensor], *, origin: Path) -> None:
    """Copies weights into a model, each one accounted for."""
    own = weights_of(model)
    missing = [name for name in own if name not in weights]
    unexpected = [name for name in weights if name not in own]
    wrong = [name for name in own if name in weights and own[name].shape != weights[name].shape]
    if missing or unexpected or wrong:
        said = [
            f"{label}: {', '.join(names[:5])}{' …' if len(names) > 5 else ''}"
            for label, names in (("missing", missing), ("unexpected", unexpected), ("of another shape", wrong))
            if names
        ]
        raise RunError(f"{origin} does not fit the model ({'; '.join(said)})")
    for name, parameter in own.items():
        parameter.copy_(weights[name])


def mean_weights(files: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of the weights in several files, summed in double precision."""
    total: dict[str, Tensor] = {}
    for file in files:
        for name, tensor in load_tensors(file).items():
            total[name] = total[name] + tensor.double() if name in total else tensor.double()
    return {name: (tensor / len(files)).float() for name, tensor in total.items()}


@contextmanager
def wearing(model: nn.Module, weights: Mapping[str, Tensor] | None, *, origin: Path) -> Iterator[None]:
    """The model has other weights inside the block, and exactly its own again after it. None changes nothing."""
    if weights is None:
        yield
        return
    own = {name: tensor.clone() for name, tensor in weights_of(model).items()}
    try:
        put_weights(model, weights, origin=origin)
        yield
    finally:
        with torch.no_grad():
            put_weights(model, own, origin=origin)
