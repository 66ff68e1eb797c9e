"""POST /v1/translate, and LibreTranslate's POST /translate and GET /languages."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from saccade.serve.schemas.common import MODEL, SENTENCE, Answer, Model, Request, Texts

MOST_BEAMS = 16


class TranslateRequest(Request):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": MODEL, "input": SENTENCE}, {"model": MODEL, "input": ["one", "two"]}]}
    )

    model: Model
    input: Texts
    to: str | None = Field(None, description="The language to translate into, for a model of several.")
    beam: int | None = Field(None, ge=1, le=MOST_BEAMS, description="1 is greedy. Default: the recipe's.")
    length_penalty: float | None = Field(None, ge=0, le=10, description="Default: the recipe's.")
    nbest: int = Field(1, ge=1, le=MOST_BEAMS, description="Candidates of each text, at most `beam`.")
    stream: bool = Field(False, description="Server-sent events: each text as soon as it is done.")


class CandidateAnswer(Answer):
    text: str
    score: float = Field(description="log p / length^length_penalty.")
    finished: bool = Field(description="False: cut off at the greatest length.")


class TranslationAnswer(Answer):
    index: int
    text: str
    candidates: list[CandidateAnswer]


class TranslateAnswer(Answer):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "model": MODEL,
                "data": [
                    {
                        "index": 0,
                        "text": "un petit cercle rouge",
                        "candidates": [{"text": "un petit cercle rouge", "score": -0.11, "finished": True}],
                    }
                ],
            }
        }
    )

    model: str
    data: list[TranslationAnswer]


class LibreRequest(Request):
    """LibreTranslate's; a JSON body or a form."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra={"examples": [{"q": SENTENCE, "source": "en", "target": "fr"}]}
    )

    q: Texts
    source: str = Field(description='A language, or "auto".', examples=["en"])
    target: str = Field(examples=["fr"])
    format: Literal["text", "html"] = Field("text", description="Only text is translated; html is refused.")
    alternatives: int = Field(0, ge=0, le=MOST_BEAMS - 1)
    api_key: str | None = None


class LibreAnswer(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"translatedText": "un petit cercle rouge"}})

    translatedText: str | list[str]
    alternatives: list[str] | list[list[str]] | None = None


class LibreLanguage(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"code": "en", "name": "English", "targets": ["fr"]}})

    code: str
    name: str
    targets: list[str]


class LibreRefused(BaseModel):
    model_config = ConfigDict(json_schema_extra={"example": {"error": "no model here translates from en into xx"}})

    error: str
