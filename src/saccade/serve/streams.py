"""Server-sent events: an answer in parts, as they are made."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi.responses import StreamingResponse

from saccade.serve.refusals import Refusal, shape

Put = Callable[[Any], None]
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class _End:
    def __init__(self, error: Exception | None) -> None:
        self.error = error


async def stream(produce: Callable[[Put], Awaitable[None]]) -> StreamingResponse:
    """The events that ``produce`` puts, one JSON value each, then ``[DONE]``.

    An error before the first event is raised, so that it has its own status; one after it becomes an event.
    """
    events: asyncio.Queue[Any] = asyncio.Queue()

    async def run() -> None:
        try:
            await produce(events.put_nowait)
            events.put_nowait(_End(None))
        except Exception as error:
            events.put_nowait(_End(error))

    # A task of its own: its time runs out there, and not in whichever task sends the answer.
    producer = asyncio.create_task(run())
    try:
        first = await events.get()
    except asyncio.CancelledError:
        producer.cancel()
        raise
    if isinstance(first, _End) and first.error is not None:
        raise first.error
    return StreamingResponse(_lines(first, events, producer), media_type="text/event-stream", headers=HEADERS)


async def _lines(first: Any, events: asyncio.Queue[Any], producer: asyncio.Task[None]) -> AsyncIterator[str]:
    try:
        event = first
        while not isinstance(event, _End):
            yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
            event = await events.get()
        if event.error is not None:
            refusal = event.error if isinstance(event.error, Refusal) else Refusal("the service failed: see its log")
            yield f"data: {json.dumps(shape(refusal), ensure_ascii=False)}\n\n"
        yield "data: [DONE]\n\n"
    finally:
        producer.cancel()
