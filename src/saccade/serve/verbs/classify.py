"""Labels of texts and pairs, numbers, and tags of words."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.data.examples import Tagged
from saccade.decoding import Gone
from saccade.runs import BertRun, Classified, ClassifierRun, TaggerRun
from saccade.serve.models import Served
from saccade.serve.queue import Sized
from saccade.serve.refusals import Unfit
from saccade.serve.schemas.common import listed
from saccade.serve.schemas.reading import ClassifiedAnswer, ClassifyAnswer, ClassifyRequest, TaggedWord
from saccade.serve.tokens import lengths
from saccade.serve.work import Work


@dataclass(frozen=True)
class Pair:
    first: str
    second: str | None


@dataclass(frozen=True)
class Classifying(Work[ClassifierRun, Pair, Classified]):
    """As ``saccade classify`` does it; ``pairs`` and texts alone do not go together."""

    pairs: bool

    def do(self, run: ClassifierRun, items: Sequence[Pair], gone: Gone) -> list[Classified]:
        del gone  # it is soon done
        seconds = [item.second or "" for item in items] if self.pairs else None
        return run.classify([item.first for item in items], seconds)


@dataclass(frozen=True)
class Tagging(Work[TaggerRun, Pair, Tagged]):
    def do(self, run: TaggerRun, items: Sequence[Pair], gone: Gone) -> list[Tagged]:
        del gone
        return run.tag([item.first.split() for item in items])


async def classify(served: Served, asked: ClassifyRequest) -> ClassifyAnswer:
    run: BertRun = served.as_(BertRun, "classify")  # type: ignore[type-abstract]
    firsts = listed(asked.input)
    seconds: list[str] | list[None] = [None] * len(firsts) if asked.second is None else listed(asked.second)
    if len(seconds) != len(firsts):
        raise Unfit(f"{len(firsts):,} first texts and {len(seconds):,} second ones: give one for each", "second")
    if not all(text is None or text.strip() for text in (*firsts, *seconds)):
        raise Unfit("a text is empty: there is nothing to classify in it", "input")
    texts = [text for text in (*firsts, *seconds) if text is not None]
    # What is longer than training's texts is cut, as `saccade classify` does: only the service's own limit counts.
    sizes = await lengths(served.limits, run.tokenizer, texts, most=served.limits.tokens, param="input")
    pairs = [Pair(first, second) for first, second in zip(firsts, seconds, strict=True)]
    items = [Sized(pair, size) for pair, size in zip(pairs, sizes, strict=False)]
    if isinstance(run, TaggerRun):
        if asked.second is not None:
            raise Unfit("a tagger reads texts for themselves: leave second out", "second")
        tagged = await served.queue.ask(Tagging(), items)
        data = [ClassifiedAnswer(index=index, tags=_tags(one)) for index, one in enumerate(tagged)]
        return ClassifyAnswer(model=served.name, data=data)
    found = await served.queue.ask(Classifying(asked.second is not None), items)
    data = [
        ClassifiedAnswer(index=index, label=one.label, number=one.number, probabilities=one.probabilities)
        for index, one in enumerate(found)
    ]
    return ClassifyAnswer(model=served.name, data=data)


def _tags(one: Tagged) -> list[TaggedWord]:
    return [TaggedWord(word=word, tag=tag) for word, tag in zip(one.words, one.tags, strict=True)]
