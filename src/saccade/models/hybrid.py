"""A CNN whose last cells are read by a Transformer's encoder: the hybrid of Dosovitskiy et al. 2021.

Shapes: B pictures, H × W pixels, h × w cells, C channels, L labels.
"""

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError
from torch import Tensor

from saccade.models.pictures import TASK
from saccade.models.registry import Vocabulary, preset
from saccade.models.resnet import ResNet, ResNetOptions
from saccade.models.vit import PictureEncoder
from saccade.models.vit_options import EncoderOptions

NO_LABELS = Vocabulary(source=0, target=0, shared=True, labels=0)


class HybridOptions(EncoderOptions):
    """Everything about a hybrid that a recipe can set under ``model``."""

    size: int = Field(32, gt=0, description="side of the pictures that the positions are learned for, in pixels")
    width: int = Field(32, gt=0, description="channels of the CNN's first stage; each further stage has twice as many")
    stages: int = Field(3, gt=0, description="stages of the CNN; each but the first halves the picture")
    blocks: int = Field(1, gt=0, description="residual blocks in each stage")

    @field_validator("stages")
    @classmethod
    def _leaves_cells(cls, stages: int, info: ValidationInfo) -> int:
        size = info.data.get("size")
        if size is not None and size % 2 ** (stages - 1):
            raise PydanticCustomError(
                "stages",
                "model.size {size} cannot be halved {times} times by {stages} stages",
                {"size": size, "times": stages - 1, "stages": stages},
            )
        return stages


class Hybrid(PictureEncoder):
    """The cells of a ResNet's last stage are the patches."""

    def __init__(self, options: HybridOptions, vocabulary: Vocabulary) -> None:
        stem = ResNet(
            ResNetOptions(blocks=",".join([str(options.blocks)] * options.stages), width=options.width, stem="small"),
            NO_LABELS,
        )
        super().__init__(
            options, vocabulary, channels=stem.channels, size=options.size // 2 ** (options.stages - 1), patch=1
        )
        self.stem = stem

    def seen(self, pictures_B3HW: Tensor) -> Tensor:
        return self.stem.features(pictures_B3HW)


@preset("hybrid-mini", task=TASK, build=Hybrid)
def hybrid_mini() -> HybridOptions:
    """A ResNet of 3 blocks, then 4 layers of dim 192: for pictures of 32 px.

    2,126,570 parameters with 10 labels. Smaller: width 16, dim 96, layers 2 (314,810); larger: width 64, dim 384,
    heads 6, layers 6 (12,000,458).
    """
    return HybridOptions(dim=192, heads=3, layers=4, dropout=0.1)
