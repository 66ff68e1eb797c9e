"""The residual connection with its layer normalisation, before or after the sublayer."""

from collections.abc import Callable
from typing import Literal

from torch import Tensor, nn

from saccade.layers.dropout import Dropout

NormPlace = Literal["pre", "post"]


class Residual(nn.Module):
    """post: norm(x + sublayer(x)), as in the paper; pre: x + sublayer(norm(x)), which trains without a long warmup."""

    def __init__(self, *, dim: int, dropout: float, place: NormPlace, bias: bool = True, eps: float = 1e-5) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dim, eps=eps, bias=bias)
        self.dropout = Dropout(dropout)
        self.place: NormPlace = place

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        output: Tensor
        if self.place == "pre":
            output = x + self.dropout(sublayer(self.norm(x)))
        else:
            output = self.norm(x + self.dropout(sublayer(x)))
        return output
