"""POST /v1/completions, in OpenAI's shape."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from saccade.serve.schemas.common import Answer, Model, Request, Texts

Stop = Annotated[str, Field(min_length=1, max_length=200)]
Nothing = Annotated[float, Field(ge=0, le=0)]


class StreamOptions(Request):
    include_usage: bool = False


class CompletionRequest(Request):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"model": "gpt-mini-1", "prompt": "The for statement", "max_tokens": 32, "temperature": 0}]
        }
    )

    model: Model
    prompt: Texts
    max_tokens: int | None = Field(16, ge=1, description="OpenAI's default is as small; null: 16.")
    temperature: float | None = Field(1.0, ge=0, le=100, description="0 always takes the likeliest token.")
    top_p: float | None = Field(None, gt=0, le=1)
    top_k: int | None = Field(None, ge=1, description="Not OpenAI's: draw from this many tokens only.")
    n: int | None = Field(1, ge=1, le=16, description="Texts for each prompt; without a stream the likeliest first.")
    stop: Stop | Annotated[list[Stop], Field(max_length=4)] | None = None
    seed: int | None = Field(None, ge=0, lt=2**63, description="The same seed, the same text. Default: by chance.")
    echo: bool | None = Field(False, description="Write the prompt before what was written.")
    stream: bool | None = Field(False, description="Server-sent events, the last of which is `data: [DONE]`.")
    stream_options: StreamOptions | None = None
    frequency_penalty: Nothing | None = Field(None, description="Only 0.")
    presence_penalty: Nothing | None = Field(None, description="Only 0.")
    user: str | None = Field(None, description="Taken and not used.")


class Choice(Answer):
    index: int
    text: str
    logprobs: None = None
    finish_reason: Literal["stop", "length"] | None = Field(description="null while a stream goes on.")


class Usage(Answer):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CompletionAnswer(Answer):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "id": "cmpl-5f0c",
                "object": "text_completion",
                "created": 1760000000,
                "model": "gpt-mini-1",
                "choices": [{"index": 0, "text": " is used to", "logprobs": None, "finish_reason": "length"}],
                "usage": {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7},
            }
        }
    )

    id: str
    object: Literal["text_completion"] = "text_completion"
    created: int
    model: str
    choices: list[Choice]
    usage: Usage | None = None
