"""The position-wise feed-forward layer: the same two-layer network at every position."""

from typing import Literal

from torch import Tensor, nn

from saccade.layers.dropout import Dropout

Activation = Literal["relu", "gelu", "swish"]

ACTIVATIONS: dict[Activation, type[nn.Module]] = {"relu": nn.ReLU, "gelu": nn.GELU, "swish": nn.SiLU}


class FeedForward(nn.Module):
    """FFN(x) = W₂ · act(W₁ x + b₁) + b₂, from ``dim`` to ``ff_dim`` and back."""

    def __init__(self, *, dim: int, ff_dim: int, dropout: float = 0.0, activation: Activation = "relu") -> None:
        super().__init__()
        self.inner = nn.Linear(dim, ff_dim)
        self.activation = ACTIVATIONS[activation]()
        self.dropout = Dropout(dropout)
        self.outer = nn.Linear(ff_dim, dim)
        for layer in (self.inner, self.outer):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.outer(self.dropout(self.activation(self.inner(x))))
        return output
