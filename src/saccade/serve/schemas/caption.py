"""POST /v1/caption."""

from pydantic import ConfigDict

from saccade.serve.schemas.common import Answer
from saccade.serve.schemas.translate import CandidateAnswer


class CaptionedAnswer(Answer):
    text: str
    candidates: list[CandidateAnswer]


class CaptionAnswer(Answer):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "model": "flickr8k-soft-1",
                "data": [
                    {
                        "text": "a dog runs",
                        "candidates": [{"text": "a dog runs", "score": -0.4, "finished": True}],
                    }
                ],
            }
        }
    )

    model: str
    data: list[CaptionedAnswer]
