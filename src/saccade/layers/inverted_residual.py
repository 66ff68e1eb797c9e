"""The blocks of an EfficientNet-Lite: wide inside, narrow between (Sandler et al. 2018; Tan and Le 2019).

Shapes: B pictures, C channels, H × W cells.
"""

from torch import Tensor, nn
from torch.nn.functional import conv2d, pad, relu6

# The numbers of the published weights, which were trained with another library than torch.
NORM_EPS, NORM_MOMENTUM = 1e-3, 0.01


class SameConvolution(nn.Conv2d):
    """Its output has ⌈size / stride⌉ cells; an odd number of padding cells is filled up at the right and at the bottom.

    Torch's own padding puts the same number on both sides, which with a stride would move everything by one pixel.
    """

    def forward(self, x_BCHW: Tensor) -> Tensor:
        across, down = (
            max((-(-size // stride) - 1) * stride + kernel - size, 0)
            for size, stride, kernel in zip(
                reversed(x_BCHW.shape[2:]), reversed(self.stride), reversed(self.kernel_size), strict=True
            )
        )
        aside, above = across // 2, down // 2
        if across % 2 or down % 2:
            x_BCHW = pad(x_BCHW, (aside, across - aside, above, down - above))
            aside, above = 0, 0
        # Even padding is the convolution's own work: a padded copy would cost as much as a depthwise convolution.
        return conv2d(x_BCHW, self.weight, self.bias, self.stride, (above, aside), self.dilation, self.groups)


class ConvolutionNorm(nn.Module):
    """norm(conv(x)); ``groups`` = channels makes it depthwise, each channel for itself."""

    def __init__(self, channels: int, out: int, *, kernel: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__()
        self.conv = SameConvolution(channels, out, kernel, stride=stride, groups=groups, bias=False)
        # He et al. 2015, by what leaves a channel; torch's own would count the other groups too.
        nn.init.normal_(self.conv.weight, std=(2 * groups / (out * kernel**2)) ** 0.5)
        self.norm = nn.BatchNorm2d(out, eps=NORM_EPS, momentum=NORM_MOMENTUM)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        normed: Tensor = self.norm(self.conv(x_BCHW))
        return normed


class InvertedResidual(nn.Module):
    """Widen ``expansion`` times (1×1), look around (depthwise), narrow (1×1, linear); + x where the shape stays."""

    def __init__(self, channels: int, out: int, *, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        inner = channels * expansion
        self.expand = ConvolutionNorm(channels, inner, kernel=1) if expansion > 1 else None
        self.depthwise = ConvolutionNorm(inner, inner, kernel=kernel, stride=stride, groups=inner)
        self.project = ConvolutionNorm(inner, out, kernel=1)
        self.adds = stride == 1 and channels == out

    def forward(self, x_BCHW: Tensor) -> Tensor:
        inner = x_BCHW if self.expand is None else relu6(self.expand(x_BCHW))
        output: Tensor = self.project(relu6(self.depthwise(inner)))
        return x_BCHW + output if self.adds else output
