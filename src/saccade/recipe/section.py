"""What all sections of a recipe have in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Word = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """A part of a recipe: it never changes, and refuses the keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True)
