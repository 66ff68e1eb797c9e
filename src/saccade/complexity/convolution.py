"""The plainest convolution over time, to be measured beside attention.

    y_t = Σ_s W_s · x_{t + (s − c)·g}        s = 0 … k − 1, gaps g, and c = ⌊k/2⌋ (centred) or k − 1 (causal)

Shapes: B rows, T positions, E width.
"""

from torch import Tensor, nn


class Convolution(nn.Module):
    """(B, T, E) → (B, T, E), zeros beyond both ends; without a bias, so that silence stays silence."""

    def __init__(self, *, dim: int, kernel: int, gap: int = 1, causal: bool = False) -> None:
        super().__init__()
        before = (kernel - 1 if causal else kernel // 2) * gap
        self.kernel = nn.Conv1d(dim, dim, kernel, padding=before, dilation=gap, bias=False)

    def forward(self, x_BTE: Tensor) -> Tensor:
        y_BET: Tensor = self.kernel(x_BTE.mT)
        return y_BET[:, :, : x_BTE.shape[1]].mT
