"""Why a request is not answered: each reason has a status, a kind and a message that says what to do."""

from typing import Literal

from saccade.errors import ServiceError

Kind = Literal["invalid_request", "not_found", "too_large", "busy", "timeout", "unauthorised", "internal"]


class Refusal(ServiceError):  # noqa: N818 (each is an answer; most are no error of anybody's)
    """An answer that is none. ``param`` is the field of the request that is wrong."""

    status: int = 500
    kind: Kind = "internal"

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param

    @property
    def headers(self) -> dict[str, str]:
        return {}


class Malformed(Refusal):
    """A body that is not JSON, or not the form that was said."""

    status, kind = 400, "invalid_request"


class Unauthorised(Refusal):
    status, kind = 401, "unauthorised"

    @property
    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": "Bearer"}


class NotFound(Refusal):
    status, kind = 404, "not_found"


class TooLarge(Refusal):
    status, kind = 413, "too_large"


class Unfit(Refusal):
    """Well-formed, but not what this model or this service can do."""

    status, kind = 422, "invalid_request"


class TooLong(Unfit):
    """A text beyond the limits."""


class Busy(Refusal):
    status, kind = 429, "busy"

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)}


class TimedOut(Refusal):
    status, kind = 504, "timeout"


def shape(refusal: Refusal) -> dict[str, object]:
    """``{"error": {…}}``, as every endpoint answers."""
    return {"error": {"message": str(refusal), "type": refusal.kind, "param": refusal.param}}
