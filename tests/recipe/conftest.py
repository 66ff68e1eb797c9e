"""A small catalogue of presets: this room takes any, and must be tested without knowing the real one."""

from typing import Literal

import pytest
from pydantic import BaseModel, Field, model_validator


class Options(BaseModel):
    dim: int = Field(128, gt=0, description="Width.")
    heads: int = Field(4, gt=0)
    ff_dim: int = 256
    dropout: float = Field(0.1, ge=0, lt=1)
    norm: Literal["pre", "post"] = "pre"
    window: int | None = None
    reach: int | Literal["all"] = "all"

    @model_validator(mode="after")
    def _heads_divide_dim(self) -> "Options":
        if self.dim % self.heads:
            raise ValueError(f"dim {self.dim} cannot be divided among {self.heads} heads")
        return self


class RecurrentOptions(BaseModel):
    cell: Literal["gru", "lstm"] = "lstm"
    dim: int = 256


@pytest.fixture
def models() -> dict[str, type[BaseModel]]:
    return {"transformer-tiny": Options, "rnn-attention": RecurrentOptions}
