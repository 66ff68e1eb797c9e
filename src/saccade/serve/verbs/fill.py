"""Finding hidden words."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.decoding import Gone
from saccade.runs import Filled, MaskedRun
from saccade.serve.models import Served
from saccade.serve.queue import Sized
from saccade.serve.schemas.common import listed
from saccade.serve.schemas.reading import FillAnswer, FilledAnswer, FillRequest, LikelyWord
from saccade.serve.tokens import lengths
from saccade.serve.work import Work


@dataclass(frozen=True)
class Filling(Work[MaskedRun, str, Filled]):
    """As ``saccade fill`` does it, one text after the other."""

    top: int

    def do(self, run: MaskedRun, items: Sequence[str], gone: Gone) -> list[Filled]:
        return [
            Filled(text, ()) if gone(number) else run.fill(text, best=self.top) for number, text in enumerate(items)
        ]


async def fill(served: Served, asked: FillRequest) -> FillAnswer:
    run, texts = served.as_(MaskedRun, "fill"), listed(asked.input)
    sizes = await lengths(served.limits, run.tokenizer, texts, most=served.most, param="input")
    items = [Sized(text, size) for text, size in zip(texts, sizes, strict=True)]
    found = await served.queue.ask(Filling(asked.top), items)
    return FillAnswer(
        model=served.name,
        data=[
            FilledAnswer(
                index=index,
                masks=[[LikelyWord(token=word.text, probability=word.probability) for word in gap] for gap in one.gaps],
            )
            for index, one in enumerate(found)
        ],
    )
