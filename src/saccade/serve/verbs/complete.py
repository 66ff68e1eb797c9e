"""Going on with texts, in OpenAI's shape."""

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from fastapi.responses import StreamingResponse

from saccade.decoding import Chance, Gone
from saccade.runs import LanguageRun
from saccade.serve.models import Served
from saccade.serve.queue import Sized
from saccade.serve.refusals import TooLong
from saccade.serve.schemas.common import listed
from saccade.serve.schemas.completions import Choice, CompletionAnswer, CompletionRequest, Usage
from saccade.serve.streams import Put, stream
from saccade.serve.tokens import lengths
from saccade.serve.work import Work
from saccade.tasks.continuing import Generated, Try

FEW = 16  # tokens, where nobody says


@dataclass(frozen=True)
class Prompt:
    """A prompt and its own chance; ``show`` is given each try's text while it is written, from another thread."""

    text: str
    chance: Chance
    show: Callable[[int, str], None] = lambda attempt, text: None


@dataclass(frozen=True)
class Completing(Work[LanguageRun, Prompt, Generated]):
    """As ``saccade generate`` does it."""

    max_tokens: int
    tries: int
    temperature: float
    top_p: float | None
    top_k: int | None
    stop: tuple[str, ...]

    def do(self, run: LanguageRun, items: Sequence[Prompt], gone: Gone) -> list[Generated]:
        return run.generate(
            [item.text for item in items],
            stop=self.stop,
            show=lambda prompt, attempt, text: items[prompt].show(attempt, text),
            chances=[item.chance for item in items],
            gone=gone,
            max_tokens=self.max_tokens,
            tries=self.tries,
            temperature=self.temperature,
            top_p=self.top_p,
            top_k=self.top_k,
        )


async def complete(served: Served, asked: CompletionRequest) -> CompletionAnswer | StreamingResponse:
    run = served.as_(LanguageRun, "completions")
    work = _work(asked)
    if work.max_tokens > served.limits.new_tokens:
        most = served.limits.new_tokens
        raise TooLong(f"{work.max_tokens:,} new tokens: this service writes {most:,} at most", "max_tokens")
    prompts = listed(asked.prompt)
    sizes = await lengths(served.limits, run.tokenizer, prompts, most=served.most, param="prompt")
    seed = secrets.randbelow(2**31) if asked.seed is None else asked.seed
    items = [
        Sized(Prompt(text, Chance(seed, number)), (size + work.max_tokens) * work.tries)
        for number, (text, size) in enumerate(zip(prompts, sizes, strict=True))
    ]
    answering = _Answering(served.name, asked, prompts, sum(sizes), work.tries)
    if asked.stream:
        return await _streamed(served, work, items, answering)
    found = await served.queue.ask(work, items)
    choices = [
        answering.choice(number, place, one.text, one)
        for number, generated in enumerate(found)
        for place, one in enumerate(generated.tries)
    ]
    return answering.answer(choices, usage=answering.usage(found))


def _work(asked: CompletionRequest) -> Completing:
    stop = [asked.stop] if isinstance(asked.stop, str) else asked.stop or []
    temperature = 1.0 if asked.temperature is None else asked.temperature
    return Completing(asked.max_tokens or FEW, asked.n or 1, temperature, asked.top_p, asked.top_k, tuple(stop))


@dataclass(frozen=True)
class _Answering:
    """What all parts of one answer share."""

    model: str
    asked: CompletionRequest
    prompts: Sequence[str]
    read: int
    tries: int
    id: str = field(default_factory=lambda: f"cmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    def choice(self, prompt: int, place: int, text: str, done: Try | None) -> Choice:
        shown = self.prompts[prompt] + text if self.asked.echo else text
        return Choice(index=prompt * self.tries + place, text=shown, finish_reason=None if done is None else _end(done))

    def usage(self, found: Sequence[Generated]) -> Usage:
        new = sum(len(one.tokens) for generated in found for one in generated.tries)
        return Usage(prompt_tokens=self.read, completion_tokens=new, total_tokens=self.read + new)

    def answer(self, choices: list[Choice], usage: Usage | None = None) -> CompletionAnswer:
        return CompletionAnswer(id=self.id, created=self.created, model=self.model, choices=choices, usage=usage)


async def _streamed(
    served: Served, work: Completing, items: Sequence[Sized], answering: _Answering
) -> StreamingResponse:
    """The tries of a prompt have the numbers in which they are written, not in which they are ranked."""
    loop = asyncio.get_running_loop()

    async def produce(put: Put) -> None:
        opened: set[int] = set()

        def tell(prompt: int, attempt: int, text: str) -> None:
            index = prompt * work.tries + attempt
            opening = answering.prompts[prompt] if answering.asked.echo and index not in opened else ""
            opened.add(index)
            put(answering.answer([Choice(index=index, text=opening + text, finish_reason=None)]).model_dump())

        def shower(prompt: int) -> Callable[[int, str], None]:
            return lambda attempt, text: _threadsafe(loop, lambda: tell(prompt, attempt, text))

        shown = [replace(one, item=replace(one.item, show=shower(number))) for number, one in enumerate(items)]
        async with served.queue.asking(work, shown) as answers:
            found = [await answer for answer in answers]
        for number, generated in enumerate(found):
            for one in sorted(generated.tries, key=lambda one: one.attempt):
                end = Choice(index=number * work.tries + one.attempt, text="", finish_reason=_end(one))
                put(answering.answer([end]).model_dump())
        options = answering.asked.stream_options
        if options is not None and options.include_usage:
            put(answering.answer([], usage=answering.usage(found)).model_dump())

    return await stream(produce)


def _threadsafe(loop: asyncio.AbstractEventLoop, say: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(say)


def _end(done: Try) -> Literal["stop", "length"]:
    return "stop" if done.end in ("end", "stop") else "length"
