"""The sizes of the Vision Transformer."""

from saccade.models.pictures import TASK
from saccade.models.registry import preset
from saccade.models.vit import Vit
from saccade.models.vit_options import VitOptions


@preset("vit-mini", task=TASK, build=Vit)
def vit_mini() -> VitOptions:
    """6 layers, dim 192, patches of 4: a Vision Transformer for pictures of 32 px.

    2,693,578 parameters with 10 labels.
    """
    return VitOptions(dim=192, heads=3, layers=6, size=32, patch=4, dropout=0.1)


@preset("vit-tiny", task=TASK, build=Vit)
def vit_tiny() -> VitOptions:
    """12 layers, dim 192 (Touvron et al. 2021, "Training data-efficient image transformers", DeiT-Ti).

    5,717,416 parameters with 1,000 labels.
    """
    return VitOptions(dim=192, heads=3)


@preset("vit-small", task=TASK, build=Vit)
def vit_small() -> VitOptions:
    """12 layers, dim 384 (Touvron et al. 2021, DeiT-S).

    22,050,664 parameters with 1,000 labels.
    """
    return VitOptions(dim=384, heads=6)


@preset("vit-base", task=TASK, build=Vit)
def vit_base() -> VitOptions:
    """12 layers, dim 768: ViT-B/16 of "An Image is Worth 16x16 Words" (Dosovitskiy et al. 2021).

    86,567,656 parameters with 1,000 labels.
    """
    return VitOptions()
