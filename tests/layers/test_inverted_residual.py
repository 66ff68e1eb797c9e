import pytest
import torch

from saccade.layers.inverted_residual import InvertedResidual, SameConvolution


@pytest.mark.parametrize("kernel", [1, 3, 5])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("size", [(8, 8), (7, 10)])
def test_the_padding_is_even_or_one_more_at_the_end(kernel: int, stride: int, size: tuple[int, int]) -> None:
    """The output's cell i looks from i · stride − ⌊padding / 2⌋ on: the equation, number by number."""
    torch.manual_seed(1)
    layer, x = SameConvolution(1, 1, kernel, stride=stride, bias=False), torch.randn(1, 1, *size)
    with torch.no_grad():
        found, weight = layer(x)[0, 0], layer.weight.detach()[0, 0]
    cells = [-(-side // stride) for side in size]
    before = [max((count - 1) * stride + kernel - side, 0) // 2 for count, side in zip(cells, size, strict=True)]
    assert list(found.shape) == cells
    for row in range(cells[0]):
        for column in range(cells[1]):
            total = 0.0
            for i in range(kernel):
                for j in range(kernel):
                    y, z = row * stride - before[0] + i, column * stride - before[1] + j
                    if 0 <= y < size[0] and 0 <= z < size[1]:
                        total += float(weight[i, j]) * float(x[0, 0, y, z])
            assert found[row, column].item() == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize(("out", "stride", "adds"), [(8, 1, True), (8, 2, False), (16, 1, False)])
def test_the_input_is_added_where_the_shape_stays(out: int, stride: int, adds: bool) -> None:
    block = InvertedResidual(8, out, kernel=3, stride=stride, expansion=6).eval()
    x = torch.randn(2, 8, 6, 6)
    with torch.no_grad():
        block.project.conv.weight.zero_()
        found = block(x)
    assert found.shape == (2, out, 6 // stride, 6 // stride)
    assert torch.equal(found, x if adds else torch.zeros_like(found))


def test_without_expansion_there_is_no_first_convolution() -> None:
    assert InvertedResidual(8, 8, kernel=3, stride=1, expansion=1).expand is None
