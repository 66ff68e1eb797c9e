"""What every model that looks at pictures can be asked, be it a CNN or a Transformer.

Shapes: B pictures, H × W pixels, h × w cells of a grid, C channels, L labels.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import Tensor, nn

from saccade.errors import ModelError

TASK = "picture-classification"


class PictureModel(nn.Module, ABC):
    """Says what a picture shows, and what it sees in each part of it."""

    HEADS: ClassVar[tuple[str, ...]] = ()
    """What may be new or left out when one is begun with another's weights."""

    @abstractmethod
    def grid(self, pictures_B3HW: Tensor) -> Tensor:
        """(B, h, w, C): the last features that still know their place."""

    @abstractmethod
    def scores(self, pictures_B3HW: Tensor) -> Tensor:
        """(B, L): the logits of the labels."""

    def forward(self, pictures_B3HW: Tensor) -> Tensor:
        return self.scores(pictures_B3HW)

    def head(self, head: nn.Module | None) -> nn.Module:
        """The part that gives scores; models for features alone are built for 0 labels and have none."""
        if head is None:
            raise ModelError(f"this {type(self).__name__} was built for 0 labels: it has a grid of features, no scores")
        return head
