"""The gate by itself: what it has read of a request when it answers."""

import asyncio
import io
from typing import Any

import pytest

from saccade.serve.gate import Gate
from saccade.serve.keys import Keys
from saccade.serve.limits import Limits
from saccade.serve.logs import Log
from saccade.serve.metrics import Metrics

LIMITS = Limits(body=1000, deadline=5)
ANNOUNCED = (b"content-length", b"3000")
KEY = (b"authorization", b"Bearer abcdefghijklmnop")


def asked(headers: list[tuple[bytes, bytes]], parts: list[bytes]) -> tuple[int, int]:
    """The status that a request gets, and how many parts of its body had been read by then."""
    read, status = 0, 0

    async def receive() -> dict[str, Any]:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": parts[read - 1], "more_body": read < len(parts)}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    async def nothing(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("a request that is refused comes no further than the gate")

    gate = Gate(nothing, limits=LIMITS, keys=Keys(("abcdefghijklmnop",)), metrics=Metrics(), log=Log(io.StringIO()))
    scope = {"type": "http", "method": "POST", "path": "/v1/translate", "headers": headers}
    asyncio.run(gate(scope, receive, send))
    return status, read


@pytest.mark.parametrize(
    ("headers", "status"), [([KEY, ANNOUNCED], 413), ([KEY], 413), ([ANNOUNCED], 401), ([], 401)], ids=repr
)
def test_a_client_has_sent_all_before_it_is_refused(headers: list[tuple[bytes, bytes]], status: int) -> None:
    assert asked(headers, [b"x" * 1000] * 3) == (status, 3)


def test_patience_has_an_end() -> None:
    assert asked([KEY], [b"x" * 1000] * 100) == (413, 17)


def test_a_client_that_waits_to_be_asked_is_not_asked() -> None:
    assert asked([KEY, ANNOUNCED, (b"expect", b"100-continue")], [b"x" * 3000]) == (413, 0)
