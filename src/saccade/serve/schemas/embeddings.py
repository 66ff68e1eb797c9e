"""POST /v1/embeddings, in OpenAI's shape."""

from typing import Literal

from pydantic import ConfigDict, Field

from saccade.serve.schemas.common import Answer, Model, Request, Texts


class EmbeddingRequest(Request):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": "bert-1", "input": ["a dog ran", "a cat sat"]}]}
    )

    model: Model
    input: Texts
    encoding_format: Literal["float", "base64"] = Field("float", description="base64: little-endian float32.")
    normalize: bool = Field(False, description="Not OpenAI's: vectors of length 1.")
    dimensions: None = Field(None, description="Vectors are as wide as the model.")
    user: str | None = Field(None, description="Taken and not used.")


class Embedding(Answer):
    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(Answer):
    prompt_tokens: int
    total_tokens: int


class EmbeddingAnswer(Answer):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "object": "list",
                "model": "bert-1",
                "data": [{"object": "embedding", "index": 0, "embedding": [0.1, -0.2]}],
                "usage": {"prompt_tokens": 3, "total_tokens": 3},
            }
        }
    )

    object: Literal["list"] = "list"
    model: str
    data: list[Embedding]
    usage: EmbeddingUsage
