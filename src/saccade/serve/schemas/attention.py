"""POST /v1/attention: what was attended to, changed if asked, and one query worked out."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from saccade.data.images.reading import Fit
from saccade.serve.schemas.common import MODEL, SENTENCE, Answer, Model, Request
from saccade.serve.schemas.translate import MOST_BEAMS

Position = Annotated[int, Field(ge=0, lt=1 << 20)]
Layer = Annotated[str, Field(max_length=200, examples=["decoder.2.cross"])]


class LookInput(Request):
    """A text, a pair for a BERT, or a picture for a captioner or a classifier of pictures."""

    text: str | None = None
    second: str | None = None
    picture: str | None = Field(None, description="The picture's file, in base64.")


class EditRequest(Request):
    """Either `weights`, for one head or all, one query or all, one key or all; or a `temperature` for whole rows."""

    layer: Layer
    head: Position | None = None
    query: Position | None = None
    key: Position | None = None
    weights: float | None = Field(None, ge=0, le=100)
    temperature: float | None = Field(None, ge=1e-3, le=1e3, description="Above 1 spreads attention, below sharpens.")


class DetailRequest(Request):
    layer: Layer
    head: Position
    query: Position


class AttentionRequest(Request):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"model": MODEL, "input": {"text": SENTENCE}, "layers": ["decoder.*.cross"]},
                {
                    "model": MODEL,
                    "input": {"text": SENTENCE},
                    "edits": [{"layer": "encoder.0.self", "temperature": 2.0}],
                    "detail": {"layer": "decoder.0.cross", "head": 0, "query": 1},
                },
            ]
        }
    )

    model: Model
    input: LookInput
    target: str | None = Field(None, description="Look at how a translator would write this text, not its own.")
    to: str | None = Field(None, description="The language to translate into, for a model of several.")
    beam: int | None = Field(None, ge=1, le=MOST_BEAMS)
    layers: list[Layer] | None = Field(None, max_length=100, description="Names or patterns. Default: all.")
    heads: list[Position] | None = Field(None, min_length=1, max_length=100, description="Default: all.")
    edits: list[EditRequest] = Field(default_factory=list, max_length=200)
    detail: DetailRequest | None = Field(None, description="The query whose calculation is wanted.")
    format: Literal["json", "binary"] = "json"


class LayerAnswer(Answer):
    name: str
    kind: str
    words: str
    group: str
    place: str
    heads: int
    queries: list[str]
    keys: list[str]
    scale: float
    weights: str = Field(description="base64 of little-endian uint16, heads × queries × keys; 65535 = scale.")


class GridAnswer(Answer):
    """The places of the picture, row by row; `crop`: only its largest middle square is looked at."""

    rows: int
    columns: int
    fit: Fit


class CalculatorAnswer(Answer):
    """raw = q·k, or combine·tanh(q + k); scaled = scale·raw; softmax; weighted = weights·v; context = their sum."""

    layer: str
    head: int
    query: int
    query_token: str
    keys: list[str]
    score: Literal["dot", "additive"]
    scale: float | None
    combine: list[float] | None
    q: list[float]
    k: list[list[float]]
    raw: list[float]
    scaled: list[float]
    allowed: list[bool]
    softmax: list[float]
    weights: list[float] = Field(description="What was used: softmax, or what edits made of it.")
    v: list[list[float]]
    weighted: list[list[float]]
    context: list[float]


class AttentionAnswer(Answer):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "model": MODEL,
                "text": "un cercle",
                "answer": None,
                "source": ["a", "circle", "</s>"],
                "target": ["un", "cercle", "</s>"],
                "layers": [
                    {
                        "name": "decoder.0.cross",
                        "kind": "cross",
                        "words": "decoder layer 0, cross-attention",
                        "group": "Cross-attention",
                        "place": "0",
                        "heads": 1,
                        "queries": ["un"],
                        "keys": ["a"],
                        "scale": 1.0,
                        "weights": "//8=",
                    }
                ],
                "picture": None,
                "calculator": None,
            }
        }
    )

    model: str
    text: str | None = Field(description="What was written; null for models that only read.")
    answer: str | None = Field(description="What a model says that only reads: a label, a filled text, how it goes on.")
    unedited_text: str | None = Field(None, description="With edits: what was written without them.")
    unedited_answer: str | None = None
    source: list[str]
    target: list[str] | None
    layers: list[LayerAnswer]
    picture: GridAnswer | None = Field(
        description="The keys of cross layers are places, row by row; those of a classifier the class token and places."
    )
    calculator: CalculatorAnswer | None
