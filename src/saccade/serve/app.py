"""The routes, and nothing else: each hands its request to the file of its verb."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import FastAPI, File, Form, Path, Request, UploadFile
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp

from saccade.serve.forms import libre_request
from saccade.serve.gate import Gate
from saccade.serve.keys import Keys, bearer
from saccade.serve.limits import Limits
from saccade.serve.logs import Log
from saccade.serve.metrics import Metrics
from saccade.serve.models import Models, Served
from saccade.serve.page import PageFile, index, page_file
from saccade.serve.problems import answer_problems
from saccade.serve.refusals import NotFound
from saccade.serve.schemas.attention import AttentionAnswer, AttentionRequest
from saccade.serve.schemas.caption import CaptionAnswer
from saccade.serve.schemas.common import ASKING, MODEL, refused
from saccade.serve.schemas.completions import CompletionAnswer, CompletionRequest
from saccade.serve.schemas.embeddings import EmbeddingAnswer, EmbeddingRequest
from saccade.serve.schemas.models import Health, ModelCard, ModelList
from saccade.serve.schemas.reading import ClassifyAnswer, ClassifyRequest, FillAnswer, FillRequest
from saccade.serve.schemas.translate import (
    MOST_BEAMS,
    LibreAnswer,
    LibreLanguage,
    LibreRefused,
    LibreRequest,
    TranslateAnswer,
    TranslateRequest,
)
from saccade.serve.verbs.binary import OCTETS, as_bytes
from saccade.serve.verbs.caption import caption
from saccade.serve.verbs.classify import classify
from saccade.serve.verbs.complete import complete
from saccade.serve.verbs.embed import embed
from saccade.serve.verbs.fill import fill
from saccade.serve.verbs.libre import libre_languages, libre_translate
from saccade.serve.verbs.look import look
from saccade.serve.verbs.translate import translate
from saccade.version import __version__

EVENTS: dict[str, Any] = {
    "text/event-stream": {"schema": {"type": "string"}, "example": "data: {…}\n\ndata: [DONE]\n\n"}
}
LIBRE_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": LibreRefused, "description": "Why not."} for status in (400, 401, 413, 422, 429, 500, 504)
}


def make_app(models: Models, *, limits: Limits, keys: Keys, metrics: Metrics, log: Log) -> ASGIApp:
    """The whole service as an ASGI application; when it shuts down, what was taken is finished."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        log.say("ready", models=[one.name for one in models])
        yield
        await run_in_threadpool(models.close)
        log.say("stopped")

    app = FastAPI(
        title="Saccade",
        version=__version__,
        description="Trained attention models, batched together, and what they attend to.",
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    answer_problems(app, log)
    _add_service(app, models, metrics)
    _add_writers(app, models)
    _add_readers(app, models)
    _add_libre(app, models, keys)
    _add_page(app)
    return Gate(app, limits=limits, keys=keys, metrics=metrics, log=log)


def _asked(request: Request, models: Models, name: str) -> Served:
    """The model, whose name the log may tell once it is known to be one."""
    served = models[name]
    request.scope.setdefault("state", {})["told"] = {"model": served.name}
    return served


def _add_service(app: FastAPI, models: Models, metrics: Metrics) -> None:
    @app.get("/health", tags=["service"])
    async def health() -> Health:
        """Whether the service answers."""
        return Health(models=len(models))

    @app.get(
        "/metrics",
        tags=["service"],
        response_class=Response,
        responses={**refused(), 200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def prometheus() -> Response:
        """Numbers for Prometheus."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    @app.get("/v1/models", tags=["service"], responses=refused())
    async def list_models() -> ModelList:
        """What is served, and what each model can be asked for."""
        return ModelList(data=[one.card for one in models])

    @app.get("/v1/models/{name}", tags=["service"], responses=refused(404, 422))
    async def one_model(name: Annotated[str, Path(examples=[MODEL])]) -> ModelCard:
        return models[name].card


def _add_writers(app: FastAPI, models: Models) -> None:
    @app.post(
        "/v1/translate",
        tags=["models"],
        response_model=TranslateAnswer,
        responses={**ASKING, 200: {"content": EVENTS}},
    )
    async def translate_texts(request: Request, asked: TranslateRequest) -> TranslateAnswer | StreamingResponse:
        """One text or several."""
        return await translate(_asked(request, models, asked.model), asked)

    @app.post(
        "/v1/completions",
        tags=["models"],
        response_model=CompletionAnswer,
        responses={**ASKING, 200: {"content": EVENTS}},
    )
    async def complete_prompts(request: Request, asked: CompletionRequest) -> CompletionAnswer | StreamingResponse:
        """Go on with prompts, in OpenAI's shape."""
        return await complete(_asked(request, models, asked.model), asked)

    @app.post("/v1/caption", tags=["models"], responses=ASKING)
    async def caption_picture(
        request: Request,
        file: Annotated[UploadFile, File(description="A picture: JPEG, PNG, WebP and others.")],
        model: Annotated[str, Form(examples=["flickr8k-soft-1"])],
        beam: Annotated[int | None, Form(ge=1, le=MOST_BEAMS)] = None,
    ) -> CaptionAnswer:
        """Say what a picture shows."""
        return await caption(_asked(request, models, model), await file.read(), beam)


def _add_readers(app: FastAPI, models: Models) -> None:
    @app.post("/v1/embeddings", tags=["models"], responses=ASKING)
    async def embed_texts(request: Request, asked: EmbeddingRequest) -> EmbeddingAnswer:
        """A vector for each text, in OpenAI's shape."""
        return await embed(_asked(request, models, asked.model), asked)

    @app.post("/v1/fill", tags=["models"], responses=ASKING)
    async def fill_gaps(request: Request, asked: FillRequest) -> FillAnswer:
        """The words that belong where [MASK] stands."""
        return await fill(_asked(request, models, asked.model), asked)

    @app.post("/v1/classify", tags=["models"], responses=ASKING)
    async def classify_texts(request: Request, asked: ClassifyRequest) -> ClassifyAnswer:
        """Labels, numbers or tags."""
        return await classify(_asked(request, models, asked.model), asked)

    @app.post(
        "/v1/attention",
        tags=["models"],
        response_model=AttentionAnswer,
        responses={**ASKING, 200: {"content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}}}},
    )
    async def look_inside(request: Request, asked: AttentionRequest) -> Response:
        """What the model attended to, with edits, and one query worked out."""
        found = await look(_asked(request, models, asked.model), asked)
        if asked.format == "binary":
            return Response(as_bytes(found), media_type=OCTETS)
        return JSONResponse(found)


def _add_libre(app: FastAPI, models: Models, keys: Keys) -> None:
    form = {"schema": LibreRequest.model_json_schema()}
    body = {"content": {"application/json": form, "application/x-www-form-urlencoded": form}, "required": True}

    @app.post("/translate", tags=["LibreTranslate"], responses=LIBRE_REFUSED, openapi_extra={"requestBody": body})
    async def translate_as_libre(request: Request) -> LibreAnswer:
        """LibreTranslate's way to ask, by languages."""
        asked = await libre_request(request)
        keys.check(asked.api_key or bearer(request.headers.get("authorization")))
        return await libre_translate(models, asked)

    @app.get("/languages", tags=["LibreTranslate"], responses=LIBRE_REFUSED)
    async def languages() -> list[LibreLanguage]:
        """Which languages are read, and into which each can be translated."""
        return libre_languages(models)


def _add_page(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def explorer() -> Response:
        return _file(await run_in_threadpool(index))

    @app.get("/assets/{name:path}", include_in_schema=False)
    async def asset(name: str) -> Response:
        found = await run_in_threadpool(page_file, f"assets/{name}")
        if found is None:
            raise NotFound("the page has no such file")
        return _file(found)


def _file(found: PageFile) -> Response:
    """Asked for anew each time: a newer page has the same addresses."""
    return Response(found.content, media_type=found.kind, headers={"Cache-Control": "no-cache"})
