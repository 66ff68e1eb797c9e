"""ResNet (He et al. 2016, "Deep Residual Learning for Image Recognition"), with the names of torchvision's state dicts.

Shapes: B pictures, H × W pixels, h × w cells, C channels, L labels.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn.functional import max_pool2d, relu

from saccade.layers.residual_convolution import BLOCKS, BlockName, convolution
from saccade.models.pictures import TASK, PictureModel
from saccade.models.registry import Vocabulary, preset

Stem = Literal["large", "small"]


class ResNetOptions(BaseModel):
    """Everything about a ResNet that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    blocks: str = Field(
        "2,2,2,2", pattern=r"^[1-9]\d*(,[1-9]\d*)*$", description="blocks of each stage; a stage halves the picture"
    )
    block: BlockName = Field("basic", description="basic: two 3×3 convolutions; bottleneck: 1×1, 3×3, 1×1")
    width: int = Field(64, gt=0, description="channels of the first stage; each further stage has twice as many")
    stem: Stem = Field(
        "large", description="large: 7×7 and pooling, a quarter of the size, for 224 px; small: 3×3, for 32 px"
    )


class ResNet(PictureModel):
    """Stem, stages ``layer1``, ``layer2``, … and, on the mean over all cells, ``fc``."""

    HEADS = ("fc",)

    def __init__(self, options: ResNetOptions, vocabulary: Vocabulary) -> None:
        super().__init__()
        block = BLOCKS[options.block]
        self.stem: Stem = options.stem
        self.conv1 = (
            nn.Conv2d(3, options.width, 7, stride=2, padding=3, bias=False)
            if options.stem == "large"
            else convolution(3, options.width)
        )
        self.bn1 = nn.BatchNorm2d(options.width)
        self.stages: list[str] = []
        channels = options.width
        for number, depth in enumerate(map(int, options.blocks.split(","))):
            width = options.width * 2**number
            stage = nn.Sequential()
            for index in range(depth):
                stage.append(block(channels, width, stride=2 if number and not index else 1))
                channels = block.EXPANSION * width
            self.stages.append(f"layer{number + 1}")
            self.add_module(self.stages[-1], stage)
        self.channels = channels
        self.fc = nn.Linear(channels, vocabulary.labels) if vocabulary.labels else None
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")

    def features(self, pictures_B3HW: Tensor) -> Tensor:
        """(B, C, h, w)."""
        x_BCHW = relu(self.bn1(self.conv1(pictures_B3HW)))
        if self.stem == "large":
            x_BCHW = max_pool2d(x_BCHW, 3, stride=2, padding=1)
        for stage in self.stages:
            x_BCHW = self.get_submodule(stage)(x_BCHW)
        return x_BCHW

    def grid(self, pictures_B3HW: Tensor) -> Tensor:
        return self.features(pictures_B3HW).permute(0, 2, 3, 1)

    def scores(self, pictures_B3HW: Tensor) -> Tensor:
        scores_BL: Tensor = self.head(self.fc)(self.features(pictures_B3HW).mean(dim=(2, 3)))
        return scores_BL


@preset("resnet-mini", task=TASK, build=ResNet)
def resnet_mini() -> ResNetOptions:
    """3 stages of 2 blocks, 32 to 128 channels: a ResNet for pictures of 32 px (He et al. 2016, section 4.2).

    696,618 parameters with 10 labels. Smaller and larger: width 16 (175,258), width 64 (2,777,674).
    """
    return ResNetOptions(blocks="2,2,2", width=32, stem="small")


@preset("resnet18", task=TASK, build=ResNet)
def resnet18() -> ResNetOptions:
    """18 layers (He et al. 2016), for pictures of 224 px.

    11,689,512 parameters with 1,000 labels.
    """
    return ResNetOptions(blocks="2,2,2,2")


@preset("resnet34", task=TASK, build=ResNet)
def resnet34() -> ResNetOptions:
    """34 layers (He et al. 2016), for pictures of 224 px.

    21,797,672 parameters with 1,000 labels.
    """
    return ResNetOptions(blocks="3,4,6,3")


@preset("resnet50", task=TASK, build=ResNet)
def resnet50() -> ResNetOptions:
    """50 layers in bottlenecks (He et al. 2016), for pictures of 224 px.

    25,557,032 parameters with 1,000 labels.
    """
    return ResNetOptions(blocks="3,4,6,3", block="bottleneck")
