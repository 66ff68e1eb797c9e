"""What is measured: for each type of layer the part that theory counts, and for attention also what stands around it.

Shapes: B rows, T positions, E width; attention here has one head, (B, 1, T, E).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from saccade.attention import EVERYWHERE, Dot, Mask, MultiHead, attend, attention_weights
from saccade.complexity.convolution import Convolution
from saccade.complexity.theory import TypeName
from saccade.layers.recurrent import Recurrent

Part = Literal["operation", "with weights held", "with projections"]
Run = Callable[[], Tensor]


@dataclass(frozen=True)
class Shape:
    """The sizes of one measurement."""

    rows: int
    length: int
    width: int


@dataclass(frozen=True)
class Work:
    """``build`` makes the inputs and weights of a shape, and returns what is then measured.

    ``part``: *operation* is what the table of theory counts. Of self-attention that is scores, softmax and weighted
    sum in torch's fused kernel; *with weights held* is the same with the table of weights written out, *with
    projections* the whole layer. A recurrent or convolutional layer is nothing but its operation.
    """

    type: TypeName
    part: Part
    build: Callable[[Shape], Run]

    @property
    def name(self) -> str:
        return self.type if self.part == "operation" else f"{self.type} {self.part}"


def works(type_name: TypeName, *, kernel: int, window: int) -> tuple[Work, ...]:
    """All that is measured of a type."""
    match type_name:
        case "self-attention":
            return (
                Work(type_name, "operation", lambda shape: _attention(shape, EVERYWHERE)),
                Work(type_name, "with weights held", _weights_held),
                Work(type_name, "with projections", lambda shape: _multihead(shape, EVERYWHERE)),
            )
        case "recurrent":
            return (Work(type_name, "operation", _recurrent),)
        case "convolutional":
            return (Work(type_name, "operation", lambda shape: _convolution(shape, kernel)),)
        case "restricted":
            return (
                Work(type_name, "operation", lambda shape: _attention(shape, Mask(window=window))),
                Work(type_name, "with projections", lambda shape: _multihead(shape, Mask(window=window))),
            )


def _input(shape: Shape) -> Tensor:
    return torch.randn(shape.rows, shape.length, shape.width)


def _attention(shape: Shape, mask: Mask) -> Run:
    query, key, value = (_input(shape)[:, None] for _ in range(3))
    return lambda: attend(query, key, value, mask=mask)


def _weights_held(shape: Shape) -> Run:
    query, key, value = (_input(shape)[:, None] for _ in range(3))
    return lambda: attention_weights(query, key, score=Dot(scaled=True), mask=EVERYWHERE) @ value


def _multihead(shape: Shape, mask: Mask) -> Run:
    layer, x_BTE = MultiHead(dim=shape.width, heads=1), _input(shape)
    return lambda: layer(x_BTE, mask=mask)


def _recurrent(shape: Shape) -> Run:
    layer, x_BTE = Recurrent(input_dim=shape.width, dim=shape.width, cell="simple"), _input(shape)
    return lambda: layer(x_BTE, layer.nothing(x_BTE)).states_BTE


def _convolution(shape: Shape, kernel: int) -> Run:
    layer, x_BTE = Convolution(dim=shape.width, kernel=kernel), _input(shape)
    return lambda: layer(x_BTE)
