"""Lanes and the queue, with work that is quick to understand in place of a model's."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from saccade.decoding import Gone
from saccade.errors import DecodingError, ServiceError
from saccade.serve.batching import Lane, choose
from saccade.serve.limits import Limits
from saccade.serve.queue import Queue, Sized
from saccade.serve.refusals import Busy, TimedOut, TooLong, Unfit
from saccade.serve.work import Job, Work


@dataclass
class Desk:
    """What a lane works at: remembers every batch, and can be held up."""

    batches: list[list[str]] = field(default_factory=list)
    free: threading.Event = field(default_factory=threading.Event)
    given_up: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.free.set()


@dataclass(frozen=True)
class Shouting(Work[Desk, str, str]):
    mark: str = "!"

    def do(self, run: Desk, items: Sequence[str], gone: Gone) -> list[str]:
        run.batches.append(list(items))
        while not run.free.wait(0.002):
            leaving = [item for number, item in enumerate(items) if gone(number)]
            if len(leaving) == len(items):
                run.given_up += leaving
                break
        if "bad" in items:
            raise DecodingError("there is a bad one")
        if "broken" in items:
            raise RuntimeError("broken")
        return [item.upper() + self.mark for item in items]


@dataclass(frozen=True)
class Alone(Shouting):
    together = False


def job(text: str, size: int = 1, work: Shouting | None = None) -> Job:
    loop = asyncio.new_event_loop()
    made = Job(work or Shouting(), text, size, loop.create_future(), loop)
    loop.close()
    return made


def test_the_oldest_decides_and_the_nearest_in_length_go_with_it() -> None:
    waiting = [job("a", 10), job("x", 10, Shouting("?")), job("b", 90), job("c", 12), job("d", 9), job("e", 11)]
    chosen = choose(waiting, Limits(batch=4))
    assert [one.item for one in chosen] == ["a", "d", "e", "c"]
    assert [one.item for one in choose(waiting, Limits(batch_tokens=30))] == ["a", "d"]
    assert [one.item for one in choose(waiting[1:], Limits())] == ["x"]
    assert [one.item for one in choose([job("a", 999), job("b")], Limits(batch_tokens=5))] == ["a"]
    assert [one.item for one in choose([job("a", 1, Alone()), job("b", 1, Alone())], Limits())] == ["a"]


def asked(
    test: Callable[[Queue, dict[str, Desk]], Coroutine[Any, Any, None]],
    limits: Limits | None = None,
    failed: Callable[[BaseException], None] = lambda error: None,
) -> None:
    """Runs a test with a queue whose lanes have a desk each."""
    limits = limits or Limits(window=0.02)
    desks = {name: Desk() for name in ("short", "long", "alone")}

    async def run() -> None:
        queue = Queue(lambda name: Lane(name, desks[name], limits, failed=failed), limits)
        try:
            await asyncio.wait_for(test(queue, desks), 20)
        finally:
            for desk in desks.values():
                desk.free.set()
            await asyncio.to_thread(queue.close)

    asyncio.run(run())


def sized(*texts: str, size: int = 1) -> list[Sized]:
    return [Sized(text, size) for text in texts]


def test_requests_that_come_together_are_done_together() -> None:
    async def test(queue: Queue, desks: dict[str, Desk]) -> None:
        found = await asyncio.gather(*(queue.ask(Shouting(), sized(text, text * 2)) for text in "abc"))
        assert found == [["A!", "AA!"], ["B!", "BB!"], ["C!", "CC!"]]
        assert [sorted(batch) for batch in desks["short"].batches] == [["a", "aa", "b", "bb", "c", "cc"]]

    asked(test)


def test_work_that_differs_or_wants_to_be_alone_is_not_mixed() -> None:
    async def test(queue: Queue, desks: dict[str, Desk]) -> None:
        work = [Shouting("!"), Shouting("?"), Alone(), Alone()]
        assert await asyncio.gather(*(queue.ask(one, sized("a")) for one in work)) == [["A!"], ["A?"], ["A!"], ["A!"]]
        assert desks["short"].batches == [["a"], ["a"]]
        assert desks["alone"].batches == [["a"], ["a"]]

    asked(test)


def test_a_huge_one_does_not_hold_up_the_others() -> None:
    async def test(queue: Queue, desks: dict[str, Desk]) -> None:
        desks["long"].free.clear()
        huge = asyncio.create_task(queue.ask(Shouting(), sized("huge", size=500)))
        await asyncio.sleep(0.05)
        for _ in range(3):
            assert await queue.ask(Shouting(), sized("a")) == ["A!"]
        assert not huge.done()
        desks["long"].free.set()
        assert await huge == ["HUGE!"]

    asked(test)


def test_an_error_is_told_to_the_one_who_made_it() -> None:
    failures: list[BaseException] = []

    async def test(queue: Queue, desks: dict[str, Desk]) -> None:
        asks = [queue.ask(Shouting(), sized(text)) for text in ("a", "bad", "b", "broken")]
        a, bad, b, broken = await asyncio.gather(*asks, return_exceptions=True)
        assert (a, b) == (["A!"], ["B!"])
        assert isinstance(bad, Unfit)
        assert str(bad) == "there is a bad one"
        assert isinstance(broken, RuntimeError)
        assert len(desks["short"].batches) == 5, "all together, then one by one"

    asked(test, failed=failures.append)
    assert [type(error) for error in failures] == [RuntimeError], "a user's mistake is no failure of ours"


def test_a_full_queue_says_so_and_takes_again_when_there_is_room() -> None:
    async def test(queue: Queue, desks: dict[str, Desk]) -> None:
        desks["short"].free.clear()
        first = asyncio.create_task(queue.ask(Shouting(), sized("a")))
        await asyncio.sleep(0.1)  # under way: it waits no more
        waiting = [asyncio.create_task(queue.ask(Shouting(), sized(text))) for text in "bc"]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="2 texts are waiting already, of 3 at most: try again soon") as refused:
            await queue.ask(Shouting(), sized("d", "e"))
        assert refused.value.headers == {"Retry-After": "1"}
        desks["short"].free.set()
        assert await first == ["A!"]
        assert await asyncio.gather(*waiting) == [["B!"], ["C!"]]
        assert await queue.ask(Shouting(), sized("d", "e")) == ["D!", "E!"]

    asked(test, Limits(waiting=3, window=0.02))


def test_a_deadline_is_kept_and_frees_the_lane() -> None:
    async def test(queue: Queue, desks: dict[str, Desk]) -> None:
        desks["short"].free.clear()
        with pytest.raises(TimedOut, match=r"no answer within 0.1 seconds"):
            await queue.ask(Shouting(), sized("slow"))
        while not desks["short"].given_up:
            await asyncio.sleep(0.01)
        desks["short"].free.set()
        assert await queue.ask(Shouting(), sized("a")) == ["A!"]

    asked(test, Limits(deadline=0.1, window=0.001))


def test_who_leaves_is_taken_out_of_the_queue_and_out_of_the_batch() -> None:
    async def test(queue: Queue, desks: dict[str, Desk]) -> None:
        desks["short"].free.clear()
        under_way = asyncio.create_task(queue.ask(Shouting(), sized("under way")))
        await asyncio.sleep(0.1)
        waiting = asyncio.create_task(queue.ask(Shouting(), sized("waiting")))
        staying = asyncio.create_task(queue.ask(Shouting(), sized("staying")))
        await asyncio.sleep(0.05)
        waiting.cancel()
        while queue.waiting > 1:
            await asyncio.sleep(0.01)
        under_way.cancel()
        while desks["short"].given_up != ["under way"]:
            await asyncio.sleep(0.01)
        desks["short"].free.set()
        assert await staying == ["STAYING!"]
        assert ["waiting"] not in desks["short"].batches

    asked(test)


def test_closing_finishes_what_was_taken() -> None:
    desk = Desk()
    desk.free.clear()

    async def run() -> list[str]:
        limits = Limits(window=0.001)
        queue = Queue(lambda name: Lane(name, desk, limits), limits)
        asks = [asyncio.create_task(queue.ask(Shouting(mark), sized("a"))) for mark in "!?."]
        await asyncio.sleep(0.05)
        closing = asyncio.create_task(asyncio.to_thread(queue.close))
        await asyncio.sleep(0.05)
        assert not closing.done()
        desk.free.set()
        await closing
        return [answer for ask in asks for answer in await ask]

    assert asyncio.run(asyncio.wait_for(run(), 20)) == ["A!", "A?", "A."]


def test_limits() -> None:
    limits = Limits(texts=2)
    with pytest.raises(Unfit, match="3 texts in one request: expected 1 to 2"):
        limits.check_count(3, "input")
    with pytest.raises(Unfit, match="0 texts in one request"):
        limits.check_count(0, "input")
    limits.check_letters("x" * 320, 10, "input")
    with pytest.raises(TooLong, match="a text of 321 characters: this model takes 10 tokens at most"):
        limits.check_letters("x" * 321, 10, "input")
    limits.check_tokens(10, 10, "input")
    with pytest.raises(TooLong, match="a text of 11 tokens: this model takes 10 at most, so split it"):
        limits.check_tokens(11, 10, "input")
    with pytest.raises(ServiceError, match="the limit deadline is above 0, got 0"):
        Limits(deadline=0)
