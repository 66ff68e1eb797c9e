import pytest
import torch
from torch import Tensor

from saccade.complexity.convolution import Convolution


def naive(layer: Convolution, x_BTE: Tensor, *, kernel: int, gap: int, causal: bool) -> Tensor:
    """The sum of the docstring, written out."""
    centre = kernel - 1 if causal else kernel // 2
    y_BTE = torch.zeros_like(x_BTE)
    for t in range(x_BTE.shape[1]):
        for s in range(kernel):
            at = t + (s - centre) * gap
            if 0 <= at < x_BTE.shape[1]:
                y_BTE[:, t] += x_BTE[:, at] @ layer.kernel.weight[:, :, s].T
    return y_BTE


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("kernel", "gap"), [(3, 1), (5, 1), (3, 3), (3, 9)])
def test_equal_to_the_sum_written_out(kernel: int, gap: int, causal: bool) -> None:
    layer = Convolution(dim=4, kernel=kernel, gap=gap, causal=causal).double()
    x_BTE = torch.randn(2, 11, 4, dtype=torch.float64)
    with torch.no_grad():
        torch.testing.assert_close(layer(x_BTE), naive(layer, x_BTE, kernel=kernel, gap=gap, causal=causal))
