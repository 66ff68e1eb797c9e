"""What a recipe can set of a Vision Transformer."""

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from saccade.models.options import HeadedOptions


class EncoderOptions(HeadedOptions):
    """What every Transformer's encoder for pictures has."""

    dim: int = Field(768, gt=0, description="width of every layer; divisible by heads")
    heads: int = Field(12, gt=0, description="attention heads in every layer")
    layers: int = Field(12, gt=0, description="layers on top of each other")
    ff_dim: int | None = Field(None, gt=0, description="inner width of the feed-forward layers; null: 4 × dim")
    dropout: float = Field(0.0, ge=0, lt=1, description="dropout of embeddings and of what each sublayer adds")
    attention_dropout: float = Field(
        0.0, ge=0, lt=1, description="dropout of attention weights; slows training on CPUs"
    )
    eps: float = Field(1e-6, gt=0, description="layer norm's term against division by zero")


class VitOptions(EncoderOptions):
    """Everything about a Vision Transformer that a recipe can set under ``model``."""

    size: int = Field(224, gt=0, description="side of the pictures that the positions are learned for, in pixels")
    patch: int = Field(16, gt=0, description="side of a patch in pixels; size is a multiple of it")

    @field_validator("patch")
    @classmethod
    def _divides_size(cls, patch: int, info: ValidationInfo) -> int:
        size = info.data.get("size")
        if size is not None and size % patch:
            raise PydanticCustomError(
                "patch", "model.size {size} is no multiple of patches of {patch} pixels", {"size": size, "patch": patch}
            )
        return patch
