"""A piece of work: what is to be done, with which texts, and who waits for it."""

from abc import ABC, abstractmethod
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Generic, TypeVar

from saccade.decoding import Gone

Run = TypeVar("Run")
Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Work(ABC, Generic[Run, Item, Answer]):
    """What is done with items, and how: a frozen dataclass. Items with equal work may be done together."""

    together = True
    """Whether others may be done at the same time; False: one by one, on a way of their own."""

    @abstractmethod
    def do(self, run: Run, items: Sequence[Item], gone: Gone) -> list[Answer]:
        """The answers in the order of the items, in a thread that has ``run`` for itself.

        ``gone`` says whether nobody waits for the item of this number any more; what is answered for it is not read.
        """


@dataclass(eq=False)
class Job:
    """An item of work that somebody waits for. ``size`` is what it costs, in tokens."""

    work: Work[Any, Any, Any]
    item: Any
    size: int
    answer: Future[Any]
    loop: AbstractEventLoop
    gone: bool = False
    since: float = field(default_factory=monotonic)

    def finish(self, answer: Any) -> None:
        """From any thread."""
        self._tell(lambda: self.answer.set_result(answer))

    def fail(self, error: BaseException) -> None:
        self._tell(lambda: self.answer.set_exception(error))

    def _tell(self, say: Callable[[], None]) -> None:
        def tell() -> None:
            if not self.answer.done():
                say()

        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(tell)
