"""The blocks of a ResNet (He et al. 2016), with the names of torchvision's state dicts.

Shapes: B pictures, C channels, H × W cells.
"""

from typing import ClassVar, Literal

from torch import Tensor, nn
from torch.nn.functional import relu

BlockName = Literal["basic", "bottleneck"]


def convolution(channels: int, out: int, *, kernel: int = 3, stride: int = 1) -> nn.Conv2d:
    """Without bias, since a batch norm follows; padded so that with stride 1 the size stays."""
    return nn.Conv2d(channels, out, kernel, stride=stride, padding=kernel // 2, bias=False)


class Thinned(nn.Conv2d):
    """W x of every ``step``-th cell in both directions: a 1×1 convolution with a stride, in two steps.

    In one, oneDNN's gradient of W writes beyond its memory on processors without AVX-512 where ``channels`` are fewer
    than 8 and lie last: the process dies, sooner or later (torch 2.13).
    """

    def __init__(self, channels: int, out: int, *, step: int) -> None:
        super().__init__(channels, out, 1, bias=False)
        self.step = step

    def forward(self, x_BCHW: Tensor) -> Tensor:
        return super().forward(x_BCHW[:, :, :: self.step, :: self.step])


def shortcut(channels: int, out: int, *, stride: int) -> nn.Module | None:
    """How the input gets the shape of the output: W x with a norm where it changes, else as it is."""
    if stride == 1 and channels == out:
        return None
    return nn.Sequential(Thinned(channels, out, step=stride), nn.BatchNorm2d(out))


class BasicBlock(nn.Module):
    """relu(x + F(x)) with F = norm · conv3×3 · relu · norm · conv3×3; (B, C, H, W) → (B, width, H/stride, W/stride)."""

    EXPANSION: ClassVar[int] = 1

    def __init__(self, channels: int, width: int, *, stride: int) -> None:
        super().__init__()
        self.conv1 = convolution(channels, width, stride=stride)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = convolution(width, width)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = shortcut(channels, width, stride=stride)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        added = relu(self.bn1(self.conv1(x_BCHW)))
        added = self.bn2(self.conv2(added))
        return relu(added + (x_BCHW if self.downsample is None else self.downsample(x_BCHW)))


class Bottleneck(nn.Module):
    """relu(x + F(x)) where F goes through ``width`` channels, 1×1 · 3×3 · 1×1, and comes out with 4 · width.

    The 3×3 convolution has the stride, as in torchvision, not the first one, as in the paper.
    """

    EXPANSION: ClassVar[int] = 4

    def __init__(self, channels: int, width: int, *, stride: int) -> None:
        super().__init__()
        out = self.EXPANSION * width
        self.conv1 = convolution(channels, width, kernel=1)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = convolution(width, width, stride=stride)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = convolution(width, out, kernel=1)
        self.bn3 = nn.BatchNorm2d(out)
        self.downsample = shortcut(channels, out, stride=stride)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        added = relu(self.bn1(self.conv1(x_BCHW)))
        added = relu(self.bn2(self.conv2(added)))
        added = self.bn3(self.conv3(added))
        return relu(added + (x_BCHW if self.downsample is None else self.downsample(x_BCHW)))


BLOCKS: dict[BlockName, type[BasicBlock] | type[Bottleneck]] = {"basic": BasicBlock, "bottleneck": Bottleneck}
