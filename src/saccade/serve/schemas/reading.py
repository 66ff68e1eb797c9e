"""POST /v1/fill and POST /v1/classify."""

from pydantic import ConfigDict, Field

from saccade.serve.schemas.common import PICTURE, Answer, Model, Request, Texts


class FillRequest(Request):
    model_config = ConfigDict(json_schema_extra={"examples": [{"model": "bert-1", "input": "the [MASK] dog ran"}]})

    model: Model
    input: Texts
    top: int = Field(5, ge=1, le=100, description="Words for each gap.")


class LikelyWord(Answer):
    token: str
    probability: float


class FilledAnswer(Answer):
    index: int
    masks: list[list[LikelyWord]] = Field(description="For each [MASK], in order, the likeliest words.")


class FillAnswer(Answer):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "model": "bert-1",
                "data": [{"index": 0, "masks": [[{"token": "small", "probability": 0.7}]]}],
            }
        }
    )

    model: str
    data: list[FilledAnswer]


class ClassifyRequest(Request):
    """`input` for a model of texts, `pictures` for one of pictures."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"model": "reviews-1", "input": "a gorgeous film"},
                {"model": "cifar10-vit-1", "pictures": [PICTURE]},
            ]
        }
    )

    model: Model
    input: Texts | None = None
    second: Texts | None = Field(None, description="The second text of each pair; as many as `input` has.")
    pictures: list[str] | None = Field(None, description="The files of pictures, in base64.")


class TaggedWord(Answer):
    word: str
    tag: str


class ClassifiedAnswer(Answer):
    index: int
    label: str | None = None
    number: float | None = Field(None, description="What a regression says.")
    probabilities: dict[str, float] = Field(default_factory=dict)
    tags: list[TaggedWord] | None = Field(None, description="What a tagger says of each word.")


class ClassifyAnswer(Answer):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "model": "reviews-1",
                "data": [
                    {
                        "index": 0,
                        "label": "good",
                        "number": None,
                        "probabilities": {"good": 0.9, "bad": 0.1},
                        "tags": None,
                    }
                ],
            }
        }
    )

    model: str
    data: list[ClassifiedAnswer]
