"""EfficientNet-Lite: an EfficientNet (Tan and Le 2019) with relu6 and without squeeze-and-excitation.

Shapes: B pictures, H × W pixels, h × w cells, C channels, L labels.
"""

from dataclasses import dataclass
from math import ceil

from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn.functional import relu6

from saccade.layers import Dropout
from saccade.layers.inverted_residual import ConvolutionNorm, InvertedResidual
from saccade.models.pictures import TASK, PictureModel
from saccade.models.registry import Vocabulary, preset

STEM, LAST = 32, 1280  # channels, whatever the scale
ROUND = 8  # scaled channels are multiples of this


@dataclass(frozen=True)
class Stage:
    """Blocks of one width; the first has the stride."""

    depth: int
    channels: int
    kernel: int
    stride: int
    expansion: int


STAGES = (
    Stage(depth=1, channels=16, kernel=3, stride=1, expansion=1),
    Stage(depth=2, channels=24, kernel=3, stride=2, expansion=6),
    Stage(depth=2, channels=40, kernel=5, stride=2, expansion=6),
    Stage(depth=3, channels=80, kernel=3, stride=2, expansion=6),
    Stage(depth=3, channels=112, kernel=5, stride=1, expansion=6),
    Stage(depth=4, channels=192, kernel=5, stride=2, expansion=6),
    Stage(depth=1, channels=320, kernel=3, stride=1, expansion=6),
)


class EfficientNetOptions(BaseModel):
    """Everything about an EfficientNet-Lite that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    width: float = Field(1.0, gt=0, description="scale of the channels; Lite2 has 1.1, Lite3 1.2, Lite4 1.4")
    depth: float = Field(1.0, gt=0, description="scale of the blocks; Lite1 has 1.1, Lite2 1.2, Lite3 1.4, Lite4 1.8")
    dropout: float = Field(0.2, ge=0, lt=1, description="dropout before the labels")


class EfficientNetLite(PictureModel):
    """Stem, blocks, a last 1×1 convolution and, on the mean over all cells, ``fc``."""

    HEADS = ("fc",)

    def __init__(self, options: EfficientNetOptions, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.stem = ConvolutionNorm(3, STEM, kernel=3, stride=2)
        self.blocks = nn.ModuleList()
        channels = STEM
        for number, stage in enumerate(STAGES):
            out = scaled_channels(stage.channels, options.width)
            outer = number in (0, len(STAGES) - 1)  # Lite models keep the first and the last stage as they are
            for index in range(stage.depth if outer else ceil(stage.depth * options.depth)):
                self.blocks.append(
                    InvertedResidual(
                        channels,
                        out,
                        kernel=stage.kernel,
                        stride=1 if index else stage.stride,
                        expansion=stage.expansion,
                    )
                )
                channels = out
        self.last = ConvolutionNorm(channels, LAST, kernel=1)
        self.channels = LAST
        self.dropout = Dropout(options.dropout)
        self.fc = nn.Linear(LAST, vocabulary.labels) if vocabulary.labels else None

    def features(self, pictures_B3HW: Tensor) -> Tensor:
        """(B, C, h, w)."""
        x_BCHW = relu6(self.stem(pictures_B3HW))
        for block in self.blocks:
            x_BCHW = block(x_BCHW)
        return relu6(self.last(x_BCHW))

    def grid(self, pictures_B3HW: Tensor) -> Tensor:
        return self.features(pictures_B3HW).permute(0, 2, 3, 1)

    def scores(self, pictures_B3HW: Tensor) -> Tensor:
        head = self.head(self.fc)
        scores_BL: Tensor = head(self.dropout(self.features(pictures_B3HW).mean(dim=(2, 3))))
        return scores_BL


def scaled_channels(channels: int, scale: float) -> int:
    """The nearest multiple of 8, but never below 90 % of what was asked."""
    wanted = channels * scale
    nearest = max(ROUND, int(wanted + ROUND / 2) // ROUND * ROUND)
    return nearest if nearest >= 0.9 * wanted else nearest + ROUND


@preset("efficientnet-lite0", task=TASK, build=EfficientNetLite)
def efficientnet_lite0() -> EfficientNetOptions:
    """16 blocks, for pictures of 224 px: ImageNet's labels with few operations, small enough for a CPU.

    Published 4.7 M parameters; 4,652,008 parameters with 1,000 labels.
    """
    return EfficientNetOptions()


@preset("efficientnet-lite1", task=TASK, build=EfficientNetLite)
def efficientnet_lite1() -> EfficientNetOptions:
    """20 blocks, for pictures of 240 px.

    Published 5.4 M parameters; 5,416,680 parameters with 1,000 labels.
    """
    return EfficientNetOptions(depth=1.1)


@preset("efficientnet-lite2", task=TASK, build=EfficientNetLite)
def efficientnet_lite2() -> EfficientNetOptions:
    """20 blocks, a tenth wider, for pictures of 260 px.

    Published 6.1 M parameters; 6,092,072 parameters with 1,000 labels.
    """
    return EfficientNetOptions(width=1.1, depth=1.2)
