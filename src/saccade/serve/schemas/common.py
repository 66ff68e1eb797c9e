"""What all requests and answers have in common."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from saccade.serve.refusals import Kind

MODEL = "demo-1"
SENTENCE = "a small red circle is left of two blue squares"
PICTURE = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"  # a GIF of one pixel

Model = Annotated[str, Field(description="The name of a run, as GET /v1/models lists it.", examples=[MODEL])]
Texts = Annotated[
    str | Annotated[list[str], Field(min_length=1)], Field(description="One text, or several.", examples=[SENTENCE])
]


class Request(BaseModel):
    """Unknown fields are refused, so that a slip of the pen is not silently without effect."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, protected_namespaces=())


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True, protected_namespaces=())


class Problem(Answer):
    message: str = Field(description="What was given, what was expected, what to do.")
    type: Kind
    param: str | None = Field(description="The field of the request that is wrong.")


class Refused(Answer):
    error: Problem


def listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


def refused(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of an endpoint, for OpenAPI."""
    return {status: _REFUSED[status] for status in (*statuses, 400, 401, 413, 500)}


def _one(description: str, kind: Kind, message: str, param: str | None = None) -> dict[str, Any]:
    example = {"error": {"message": message, "type": kind, "param": param}}
    return {"model": Refused, "description": description, "content": {"application/json": {"example": example}}}


_REFUSED = {
    400: _one("The body cannot be read.", "invalid_request", "the body is not JSON: expected , or } at character 17"),
    401: _one("No API key, or an unknown one.", "unauthorised", "this API key is not known here"),
    404: _one("No such model.", "not_found", "no model of this name; there are demo-1", "model"),
    413: _one("The body is too large.", "too_large", "a body of more than 8,388,608 bytes is not read"),
    422: _one(
        "A field is wrong, or the model cannot do this.",
        "invalid_request",
        "a text of 5,000 tokens: this model takes 1,024 at most, so split it",
        "input",
    ),
    429: {
        **_one("Too many texts wait.", "busy", "512 texts are waiting already, of 512 at most: try again soon"),
        "headers": {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}},
    },
    500: _one("An error of the service; its log says which.", "internal", "the service failed: see its log"),
    504: _one("It took too long.", "timeout", "no answer within 30 seconds: send shorter texts, or fewer at once"),
}

ASKING = refused(404, 422, 429, 504)
