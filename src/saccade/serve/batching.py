"""Batching: what comes within a few milliseconds is worked on together, in a thread with a model of its own.

A lane is one such thread. The oldest job is never passed over: it decides what the next batch is, and those that ask
for the same and are nearest to it in length go with it, as far as the budget of tokens allows. Jobs that nobody waits
for any more are left out, and leave a batch that is under way.
"""

from collections.abc import Callable, Sequence
from threading import Condition, Thread
from time import monotonic
from typing import Any

from saccade.errors import SaccadeError
from saccade.serve.limits import Limits
from saccade.serve.work import Job

Worked = Callable[[int, int, int], None]
"""Is told of every batch: texts, tokens, and how many of the texts had left."""


class Lane:
    """Jobs that wait, and the thread that does them with ``worker``; ``begin`` is what that thread does first."""

    def __init__(
        self,
        name: str,
        worker: Any,
        limits: Limits,
        *,
        begin: Callable[[], None] = lambda: None,
        worked: Worked = lambda texts, tokens, gone: None,
        failed: Callable[[BaseException], None] = lambda error: None,
    ) -> None:
        self._worker, self._limits, self._begin = worker, limits, begin
        self._worked, self._failed = worked, failed
        self._waiting: list[Job] = []
        self._changed = Condition()
        self._closing = False
        self._thread = Thread(target=self._run, name=f"saccade-{name}", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def put(self, jobs: Sequence[Job]) -> None:
        with self._changed:
            self._waiting += jobs
            self._changed.notify()

    def forget(self, jobs: Sequence[Job]) -> None:
        """Nobody waits for these any more."""
        with self._changed:
            for job in jobs:
                job.gone = True
            self._waiting = [job for job in self._waiting if not job.gone]

    def close(self) -> None:
        """Finishes what waits, then ends."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        self._begin()
        while (batch := self._next()) is not None:
            self._work(batch)

    def _next(self) -> list[Job] | None:
        """Waits for a job, and a little longer for others; None when the lane is closed and nothing is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            end = (self._waiting[0].since if self._waiting else 0.0) + self._limits.window
            while not self._closing and len(self._waiting) < self._limits.batch:
                left = end - monotonic()
                if left <= 0 or not self._changed.wait(left):
                    break
            if not self._waiting:
                return [] if not self._closing else None
            chosen = choose(self._waiting, self._limits)
            taken = set(map(id, chosen))
            self._waiting = [job for job in self._waiting if id(job) not in taken]
            return chosen

    def _work(self, batch: Sequence[Job]) -> None:
        if not batch:
            return
        try:
            answers = batch[0].work.do(self._worker, [job.item for job in batch], lambda number: batch[number].gone)
            for job, answer in zip(batch, answers, strict=True):
                job.finish(answer)
        except Exception as error:
            if len(batch) > 1:  # one by one, so that each meets its own error and no other
                for job in batch:
                    self._work([job])
                return
            if not isinstance(error, SaccadeError) and not batch[0].gone:
                self._failed(error)
            batch[0].fail(error)
        self._worked(len(batch), sum(job.size for job in batch), sum(job.gone for job in batch))


def choose(waiting: Sequence[Job], limits: Limits) -> list[Job]:
    """The oldest job, and of those with equal work the nearest in size, within ``batch`` and ``batch_tokens``."""
    oldest = waiting[0]
    if not oldest.work.together:
        return [oldest]
    alike = [job for job in waiting[1:] if job.work == oldest.work]
    chosen, longest = [oldest], oldest.size
    for job in sorted(alike, key=lambda job: abs(job.size - oldest.size)):
        longest = max(longest, job.size)
        if len(chosen) == limits.batch or (len(chosen) + 1) * longest > limits.batch_tokens:
            break
        chosen.append(job)
    return chosen
