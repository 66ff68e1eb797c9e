"""Translating."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi.responses import StreamingResponse

from saccade.decoding import Gone
from saccade.runs import Ensemble, TranslationRun
from saccade.serve.models import Served
from saccade.serve.queue import Sized
from saccade.serve.schemas.common import listed
from saccade.serve.schemas.translate import CandidateAnswer, TranslateAnswer, TranslateRequest, TranslationAnswer
from saccade.serve.streams import Put, stream
from saccade.serve.tokens import lengths
from saccade.serve.work import Work
from saccade.tasks.translator import Candidate, Translation


@dataclass(frozen=True)
class Translating(Work[TranslationRun, str, Translation]):
    """As ``saccade translate`` does it; None stands for what the recipe says."""

    to: str | None
    beam: int | None
    length_penalty: float | None
    nbest: int

    def do(self, run: TranslationRun, items: Sequence[str], gone: Gone) -> list[Translation]:
        return Ensemble([run]).translate(
            items, to=self.to, gone=gone, beam=self.beam, length_penalty=self.length_penalty, nbest=self.nbest
        )


async def translate(served: Served, asked: TranslateRequest) -> TranslateAnswer | StreamingResponse:
    work = Translating(asked.to, asked.beam, asked.length_penalty, asked.nbest)
    items = await sources(served, listed(asked.input), "input")
    if asked.stream:
        return await _streamed(served, work, items)
    found = await served.queue.ask(work, items)
    return TranslateAnswer(model=served.name, data=[_answer(index, one) for index, one in enumerate(found)])


async def sources(served: Served, texts: Sequence[str], param: str) -> list[Sized]:
    """Texts to be translated, each checked and measured."""
    run = served.as_(TranslationRun, "translate")
    sizes = await lengths(served.limits, run.tokenizers.source, texts, most=served.most, param=param)
    return [Sized(text, size) for text, size in zip(texts, sizes, strict=True)]


def candidates(found: Sequence[Candidate]) -> list[CandidateAnswer]:
    return [CandidateAnswer(text=one.text, score=one.score, finished=one.finished) for one in found]


async def _streamed(served: Served, work: Translating, items: Sequence[Sized]) -> StreamingResponse:
    async def produce(put: Put) -> None:
        async with served.queue.asking(work, items) as answers:

            async def one(index: int) -> None:
                put(_answer(index, await answers[index]).model_dump())

            await asyncio.gather(*(one(index) for index in range(len(answers))))

    return await stream(produce)


def _answer(index: int, one: Translation) -> TranslationAnswer:
    return TranslationAnswer(index=index, text=one.text, candidates=candidates(one.candidates))
