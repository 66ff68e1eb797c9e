"""The gate that every request passes: its size, its key, its answer's headers, its line in the log.

It reads the whole body before the application sees any of it, and then listens for the client: one that leaves takes
its request along, out of the batch. What is refused is read too, and thrown away: a connection that is closed while the
client still sends is reset, and the client would not learn why.
"""

import asyncio
import json
import secrets
import time
from collections.abc import MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.serve.keys import Keys, bearer
from saccade.serve.limits import Limits
from saccade.serve.logs import Log
from saccade.serve.metrics import Metrics
from saccade.serve.refusals import Refusal, TimedOut, TooLarge, shape

OPEN = ("/", "/health", "/favicon.ico", "/languages")  # the last as at LibreTranslate, whose clients send no header
OWN_KEY = "/translate"  # LibreTranslate's clients send their key in the body
LEFT = 499
PATIENCE = 16  # times the largest body: more of one that is refused is not read, and the connection closed
POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SAFE = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Gate:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, *, limits: Limits, keys: Keys, metrics: Metrics, log: Log) -> None:
        self._app, self._limits, self._keys, self._metrics, self._log = app, limits, keys, metrics, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        began = time.perf_counter()
        self._metrics.began()
        try:
            await self._pass(scope, receive, answer)
        except _Left:
            answer.status = LEFT
        finally:
            seconds = time.perf_counter() - began
            route = getattr(scope.get("route"), "path", "unknown")
            self._metrics.answered(route, answer.status, seconds)
            told: dict[str, Any] = scope.get("state", {}).get("told", {})
            self._log.say(
                "request",
                id=answer.id,
                method=scope["method"] if scope["method"] in METHODS else "other",
                route=route,
                status=answer.status,
                ms=round(1000 * seconds, 2),
                **told,
            )

    async def _pass(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        try:
            async with asyncio.timeout(self._limits.deadline):
                body = await self._body(scope["path"], Headers(scope=scope), receive)
        except TimeoutError:
            await answer.refuse(TimedOut(f"the body did not come within {self._limits.deadline:g} seconds"))
            return
        except Refusal as refusal:
            await answer.refuse(refusal)
            return
        left = asyncio.Event()

        async def work() -> None:
            await self._app(scope, _again(body, left), answer)

        working = asyncio.create_task(work())
        watching = asyncio.create_task(_until_gone(receive))
        try:
            await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                left.set()
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)
                raise _Left
            await working
        except Exception as error:
            # What the application could not foresee: it has been logged, and mostly answered, by whoever met it.
            if isinstance(error, _Left):
                raise
            if not answer.begun:
                await answer.refuse(Refusal("the service failed: see its log"))
        finally:
            working.cancel()
            watching.cancel()

    async def _body(self, path: str, headers: Headers, receive: Receive) -> bytes:
        most = self._limits.body
        try:
            self._check(path, headers)
        except Refusal:
            if headers.get("expect", "").lower() != "100-continue":  # else the client waits to be asked for its body
                await _read(receive, 0, PATIENCE * most)
            raise
        body = await _read(receive, most, PATIENCE * most)
        if body is None:
            raise _too_large(most)
        return body

    def _check(self, path: str, headers: Headers) -> None:
        """What can be said before any of the body has come."""
        if path not in OPEN and not path.startswith("/assets/") and path != OWN_KEY:
            self._keys.check(bearer(headers.get("authorization")))
        said = headers.get("content-length", "")
        if said.isdecimal() and int(said) > self._limits.body:
            raise _too_large(self._limits.body)


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


class _Left(Exception):  # noqa: N818 (the client left: it is nobody's error)
    pass


class _Answer:
    """Sends, with our headers, and remembers the status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 500
        self.begun = False
        self.id = secrets.token_hex(8)

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.begun = message["status"], True
            headers = MutableHeaders(scope=_lists(message))
            for name, value in {**SAFE, "X-Request-ID": self.id}.items():
                headers[name] = value
        await self._send(message)

    async def refuse(self, refusal: Refusal) -> None:
        body = json.dumps(shape(refusal)).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body)), **refusal.headers}
        if isinstance(refusal, TooLarge):
            headers["connection"] = "close"  # of a very large body the rest is not read
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self({"type": "http.response.start", "status": refusal.status, "headers": raw})
        await self._send({"type": "http.response.body", "body": body})


def _lists(message: Message) -> MutableMapping[str, Any]:
    message["headers"] = list(message.get("headers", []))
    return message


def _again(body: bytes, left: asyncio.Event) -> Receive:
    """The body once more, and then the news that the client has left, when it has."""
    given = False

    async def receive() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        await left.wait()
        return {"type": "http.disconnect"}

    return receive


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _read(receive: Receive, keep: int, most: int) -> bytes | None:
    """The body, or None if it has more than ``keep`` bytes; of such a one no more than ``most`` are waited for."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Left
        part = message.get("body", b"")
        size += len(part)
        if size <= keep:
            parts.append(part)
        else:
            parts.clear()
        if not message.get("more_body", False) or size > most:
            return b"".join(parts) if size <= keep else None


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"a body of more than {most:,} bytes is not read: send less at once")
