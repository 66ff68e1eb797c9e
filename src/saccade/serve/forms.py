"""Bodies that come as JSON or as a form."""

import json
from typing import Any

from fastapi import Request
from pydantic import ValidationError

from saccade.serve.refusals import Malformed, Unfit
from saccade.serve.schemas.translate import LibreRequest

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


async def libre_request(request: Request) -> LibreRequest:
    """LibreTranslate's clients send either."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    given: Any
    try:
        if kind in FORMS:
            async with request.form() as form:
                several = form.getlist("q")
                given = {**form, **({"q": several} if len(several) > 1 else {})}
        else:
            given = json.loads(await request.body())
    except (ValueError, RecursionError) as error:
        raise Malformed("the body is neither JSON nor a form") from error
    try:
        return LibreRequest.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        param = ".".join(map(str, first["loc"])) or None
        raise Unfit(f"{param or 'the body'}: {first['msg']}", param) from error
