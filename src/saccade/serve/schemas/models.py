"""What is served."""

from typing import Literal

from pydantic import ConfigDict, Field

from saccade.serve.schemas.common import MODEL, SENTENCE, Answer

Verb = Literal["translate", "completions", "embeddings", "fill", "classify", "caption", "attention"]


class Health(Answer):
    model_config = ConfigDict(json_schema_extra={"example": {"status": "ok", "models": 1}})

    status: Literal["ok"] = "ok"
    models: int


class LayerCard(Answer):
    name: str
    heads: int
    kind: Literal["self", "cross", "co"]


class Example(Answer):
    """Something to ask the model with."""

    text: str | None = None
    picture: bool = False


class ModelCard(Answer):
    id: str
    object: Literal["model"] = "model"
    owned_by: str = "saccade"
    created: int = 0
    task: str
    preset: str
    parameters: int
    layers: list[LayerCard] = Field(description="Its attention layers, for /v1/attention.")
    languages: list[str] = Field(description="Those that it can be told to translate into; none: there is no choice.")
    labels: list[str] = Field(description="What a classifier or a tagger says.")
    max_input_tokens: int | None
    max_attention_tokens: int | None
    verbs: list[Verb] = Field(description="What it can be asked for: /v1/VERB.")
    example: Example


class ModelList(Answer):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "object": "list",
                "data": [
                    {
                        "id": MODEL,
                        "object": "model",
                        "owned_by": "saccade",
                        "created": 0,
                        "task": "translation",
                        "preset": "transformer-tiny",
                        "parameters": 491648,
                        "layers": [{"name": "encoder.0.self", "heads": 4, "kind": "self"}],
                        "languages": [],
                        "labels": [],
                        "max_input_tokens": 1024,
                        "max_attention_tokens": 256,
                        "verbs": ["translate", "attention"],
                        "example": {"text": SENTENCE, "picture": False},
                    }
                ],
            }
        }
    )

    object: Literal["list"] = "list"
    data: list[ModelCard]
