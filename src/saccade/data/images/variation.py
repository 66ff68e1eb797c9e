"""The ways to vary training pictures that a recipe can name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from saccade.data.images.augment import Augmentation, Erasing, Flip, InOrder, PaddedCrop
from saccade.data.images.randaugment import RandAugment

VariationName = Literal["none", "light", "strong"]

NOTHING = InOrder(())
MARGIN = 8  # light moves a picture by up to its side over this
ERASED = 0.25


@dataclass(frozen=True)
class Variation:
    """What is done to pictures of numbers from 0 to 1, and what to the same pictures once they are normalised."""

    before: Augmentation = NOTHING
    after: Augmentation = NOTHING

    def __call__(
        self, pictures_BCHW: Tensor, normalise: Callable[[Tensor], Tensor], generator: torch.Generator
    ) -> Tensor:
        """Varied and normalised."""
        return self.after(normalise(self.before(pictures_BCHW, generator)), generator)


def batch_generator() -> torch.Generator:
    """One of the batch's own, seeded by the global generator, which the training loop seeds for every step."""
    return torch.Generator().manual_seed(int(torch.randint(2**62, ())))


def variation(name: VariationName, *, pixels: int) -> Variation:
    """``light``: moved and mirrored (He et al. 2016); ``strong``: also RandAugment, and a rectangle in mean colour."""
    if name == "none":
        return Variation()
    light = (PaddedCrop(pixels // MARGIN, border="reflect"), Flip())
    if name == "light":
        return Variation(InOrder(light))
    return Variation(InOrder((*light, RandAugment())), Erasing(ERASED))
