"""VGG (Simonyan and Zisserman 2015, configuration D), with the names of torchvision's state dicts.

Shapes: B pictures, H × W pixels, h × w cells, C channels, L labels.
"""

from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn.functional import adaptive_avg_pool2d

from saccade.models.pictures import TASK, PictureModel
from saccade.models.registry import Vocabulary, preset

STAGES = ((2, 1), (2, 2), (3, 4), (3, 8), (3, 8))  # convolutions, and how many times the first stage's channels
POOLED = 7  # cells a side that the classifier sees, whatever the size of the picture


class VggOptions(BaseModel):
    """Everything about a VGG16 that a recipe can set under ``model``."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    width: int = Field(64, gt=0, description="channels of the first stage; the others have 2, 4, 8 and 8 times as many")
    hidden: int = Field(4096, gt=0, description="width of the classifier's two inner layers")
    dropout: float = Field(0.5, ge=0, lt=1, description="dropout of the classifier's two inner layers")


class Vgg(PictureModel):
    """13 convolutions of 3×3 in five stages, each ended by pooling, and a classifier of three layers."""

    HEADS = ("classifier.6",)

    def __init__(self, options: VggOptions, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.features = nn.Sequential()
        channels = 3
        for depth, times in STAGES:
            for _ in range(depth):
                self.features.append(nn.Conv2d(channels, times * options.width, 3, padding=1))
                self.features.append(nn.ReLU())
                channels = times * options.width
            self.features.append(nn.MaxPool2d(2))
        self.channels = channels
        self.classifier = None
        if vocabulary.labels:
            self.classifier = nn.Sequential(
                nn.Linear(channels * POOLED**2, options.hidden),
                nn.ReLU(),
                nn.Dropout(options.dropout),
                nn.Linear(options.hidden, options.hidden),
                nn.ReLU(),
                nn.Dropout(options.dropout),
                nn.Linear(options.hidden, vocabulary.labels),
            )
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(part, nn.Linear):
                nn.init.normal_(part.weight, std=0.01)
            if isinstance(part, nn.Conv2d | nn.Linear) and part.bias is not None:
                nn.init.zeros_(part.bias)

    def grid(self, pictures_B3HW: Tensor) -> Tensor:
        """After the last convolution and before the last pooling, where Xu et al. 2015 attend: 14 × 14 at 224 px."""
        features_BChw: Tensor = self.features[:-1](pictures_B3HW)
        return features_BChw.permute(0, 2, 3, 1)

    def scores(self, pictures_B3HW: Tensor) -> Tensor:
        head = self.head(self.classifier)
        pooled_BChw = adaptive_avg_pool2d(self.features(pictures_B3HW), POOLED)
        scores_BL: Tensor = head(pooled_BChw.flatten(1))
        return scores_BL


@preset("vgg16", task=TASK, build=Vgg)
def vgg16() -> VggOptions:
    """16 layers (Simonyan and Zisserman 2015), for pictures of 224 px; its grid is the one of "Show, Attend and Tell".

    138,357,544 parameters with 1,000 labels.
    """
    return VggOptions()
