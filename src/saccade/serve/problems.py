"""Whatever goes wrong becomes an answer in one shape."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from saccade.errors import SaccadeError
from saccade.serve.logs import Log
from saccade.serve.refusals import Malformed, NotFound, Refusal, Unfit, shape

LIBRE = ("/translate", "/languages")


def answer_problems(app: FastAPI, log: Log) -> None:
    """Refusals, fields that are wrong, routes that are not there, and errors of ours."""

    async def refusal(request: Request, error: Exception) -> JSONResponse:
        answer = _json(request, _as_refusal(error))
        if isinstance(error, HTTPException):
            answer.headers.update(error.headers or {})
        return answer

    async def failure(request: Request, error: Exception) -> JSONResponse:
        log.failure("failure", error)
        return _json(request, Refusal("the service failed: see its log"))

    for kind in (SaccadeError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, refusal)
    app.add_exception_handler(Exception, failure)


def _json(request: Request, refusal: Refusal) -> JSONResponse:
    body: dict[str, Any] = {"error": str(refusal)} if request.url.path in LIBRE else shape(refusal)
    return JSONResponse(body, refusal.status, refusal.headers)


def _as_refusal(error: Exception) -> Refusal:
    match error:
        case Refusal():
            return error
        case RequestValidationError():
            return _wrong_field(error)
        case HTTPException(status_code=404):
            return NotFound("there is no such address: see /openapi.json")
        case HTTPException():
            found = Malformed(str(error.detail))
            found.status = error.status_code
            return found
        case _:
            return Unfit(str(error))


def _wrong_field(error: RequestValidationError) -> Refusal:
    """The first of all mistakes. What the user wrote is not said back."""
    first = error.errors()[0]
    place = [str(part) for part in first["loc"] if part not in ("body", "query", "path")]
    if first["type"] == "json_invalid":
        return Malformed(f"the body is not JSON: {first.get('ctx', {}).get('error', first['msg'])}")
    param = ".".join(place) or None
    return Unfit(f"{param or 'the body'}: {first['msg']}", param)
