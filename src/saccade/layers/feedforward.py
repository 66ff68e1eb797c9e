"""The position-wise feed-forward layer: the same two-layer network at every position."""

from collections.abc import Callable
from functools import partial
from typing import Literal

from torch import Tensor, nn

from saccade.layers.dropout import Dropout

Activation = Literal["relu", "gelu", "gelu-tanh", "swish"]

ACTIVATIONS: dict[Activation, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "gelu-tanh": partial(nn.GELU, approximate="tanh"),
    "swish": nn.SiLU,
}


class FeedForward(nn.Module):
    """FFN(x) = W₂ · act(W₁ x + b₁) + b₂, from ``dim`` to ``ff_dim`` and back.

    gelu(x) = x · Φ(x); *gelu-tanh* is GPT-2's approximation of it, ½x · (1 + tanh(√(2/π) · (x + 0.044715 x³))).
    """

    def __init__(
        self, *, dim: int, ff_dim: int, dropout: float = 0.0, activation: Activation = "relu", bias: bool = True
    ) -> None:
        super().__init__()
        self.inner = nn.Linear(dim, ff_dim, bias=bias)
        self.activation = ACTIVATIONS[activation]()
        self.dropout = Dropout(dropout)
        self.outer = nn.Linear(ff_dim, dim, bias=bias)
        for layer in (self.inner, self.outer):
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.outer(self.dropout(self.activation(self.inner(x))))
        return output
