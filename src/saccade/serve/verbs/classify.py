"""Labels of texts, pairs and pictures, numbers, and tags of words."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.data.examples import Tagged
from saccade.decoding import Gone
from saccade.runs import BertRun, Classified, ClassifiedPicture, ClassifierRun, PictureRun, TaggerRun
from saccade.serve.models import Served
from saccade.serve.pictures import PLACES, Sent, as_files, from_base64
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


@dataclass(frozen=True)
class Seeing(Work[PictureRun, Sent, ClassifiedPicture]):
    def do(self, run: PictureRun, items: Sequence[Sent], gone: Gone) -> list[ClassifiedPicture]:
        del gone
        with as_files(items) as files:
            return run.classify(files)


async def classify(served: Served, asked: ClassifyRequest) -> ClassifyAnswer:
    of = _of_texts if served.run.grid is None else _of_pictures
    return ClassifyAnswer(model=served.name, data=await of(served, asked))


async def _of_pictures(served: Served, asked: ClassifyRequest) -> list[ClassifiedAnswer]:
    served.as_(PictureRun, "classify")
    if asked.pictures is None or asked.input is not None or asked.second is not None:
        raise Unfit(f"{served.name} looks at pictures: give pictures, and no text", "pictures")
    served.limits.check_count(len(asked.pictures), "pictures", "pictures")
    sent = [from_base64(text, f"pictures.{number}") for number, text in enumerate(asked.pictures)]
    found = await served.queue.ask(Seeing(), [Sized(one, PLACES) for one in sent])
    return [
        ClassifiedAnswer(index=index, label=one.label, probabilities=one.probabilities)
        for index, one in enumerate(found)
    ]


async def _of_texts(served: Served, asked: ClassifyRequest) -> list[ClassifiedAnswer]:
    run: BertRun = served.as_(BertRun, "classify")  # type: ignore[type-abstract]
    if asked.input is None or asked.pictures is not None:
        raise Unfit(f"{served.name} reads texts: give input, and no pictures", "input")
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
        return [ClassifiedAnswer(index=index, tags=_tags(one)) for index, one in enumerate(tagged)]
    found = await served.queue.ask(Classifying(asked.second is not None), items)
    return [
        ClassifiedAnswer(index=index, label=one.label, number=one.number, probabilities=one.probabilities)
        for index, one in enumerate(found)
    ]


def _tags(one: Tagged) -> list[TaggedWord]:
    return [TaggedWord(word=word, tag=tag) for word, tag in zip(one.words, one.tags, strict=True)]
