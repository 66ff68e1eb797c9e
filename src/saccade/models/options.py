"""What all options of models with several heads have in common."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError


class HeadedOptions(BaseModel):
    """A width that is shared out among heads."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)
    FREE: ClassVar[frozenset[str]] = frozenset({"dropout", "attention_dropout"})

    dim: int = Field(512, gt=0, description="width of every layer; divisible by heads")
    heads: int = Field(8, gt=0, description="attention heads in every layer")

    @field_validator("heads")
    @classmethod
    def _divides_dim(cls, heads: int, info: ValidationInfo) -> int:
        dim = info.data.get("dim")
        if dim is not None and dim % heads:
            raise PydanticCustomError(
                "heads", "model.dim {dim} is not divisible by {heads} heads", {"dim": dim, "heads": heads}
            )
        return heads
