"""The way of a request to a model: into the right lane if there is room, and back with the answers in time."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from saccade.errors import SaccadeError
from saccade.serve.batching import Lane
from saccade.serve.limits import Limits
from saccade.serve.refusals import Busy, Refusal, TimedOut, Unfit
from saccade.serve.work import Job, Work

Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Sized:
    """An item and what it costs, in tokens."""

    item: Any
    size: int


class Queue:
    """The lanes of one model: short texts, long ones, and what is done one by one; none waits for another.

    A lane is opened when it is first needed, each with a model of its own that shares the weights.
    """

    def __init__(self, open: Callable[[str], Lane], limits: Limits) -> None:
        self._open, self._limits = open, limits
        self._lanes: dict[str, Lane] = {}

    @property
    def waiting(self) -> int:
        return sum(lane.waiting for lane in self._lanes.values())

    async def ask(self, work: Work[Any, Item, Answer], items: Sequence[Sized]) -> list[Answer]:
        """The answers to all items, in their order."""
        async with self.asking(work, items) as answers:
            return [await answer for answer in answers]

    @asynccontextmanager
    async def asking(
        self, work: Work[Any, Item, Answer], items: Sequence[Sized]
    ) -> AsyncIterator[list[asyncio.Future[Answer]]]:
        """The answers to come. Who leaves the block, by error, timeout or cancellation, waits for none of them."""
        if self.waiting + len(items) > self._limits.waiting:
            raise Busy(
                f"{self.waiting:,} texts are waiting already, of {self._limits.waiting:,} at most: try again soon",
                retry_after=1,
            )
        loop = asyncio.get_running_loop()
        jobs = [Job(work, one.item, one.size, loop.create_future(), loop) for one in items]
        lanes = [self._lane(work, job.size) for job in jobs]
        for lane in dict.fromkeys(lanes):
            lane.put([job for job, of in zip(jobs, lanes, strict=True) if of is lane])
        try:
            async with asyncio.timeout(self._limits.deadline):
                yield [job.answer for job in jobs]
        except TimeoutError:
            raise TimedOut(
                f"no answer within {self._limits.deadline:g} seconds: send shorter texts, or fewer at once"
            ) from None
        except Refusal:
            raise
        except SaccadeError as error:
            raise Unfit(str(error)) from error
        finally:
            for lane in dict.fromkeys(lanes):
                lane.forget([job for job, of in zip(jobs, lanes, strict=True) if of is lane and _unanswered(job)])
            for job in jobs:
                if not job.answer.cancel() and not job.answer.cancelled():
                    job.answer.exception()  # read, so that nobody complains of an error that another one hid

    def close(self) -> None:
        for lane in self._lanes.values():
            lane.close()

    def _lane(self, work: Work[Any, Any, Any], size: int) -> Lane:
        name = "alone" if not work.together else "short" if size <= self._limits.long else "long"
        if name not in self._lanes:
            self._lanes[name] = self._open(name)
        return self._lanes[name]


def _unanswered(job: Job) -> bool:
    """Who awaits a future and is cancelled takes the future along: it is then done, but nobody has done the work."""
    return not job.answer.done() or job.answer.cancelled()
