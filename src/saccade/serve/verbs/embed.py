"""Vectors of texts, in OpenAI's shape."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from saccade.decoding import Gone
from saccade.runs import BertRun
from saccade.serve.models import Served
from saccade.serve.queue import Sized
from saccade.serve.schemas.common import listed
from saccade.serve.schemas.embeddings import Embedding, EmbeddingAnswer, EmbeddingRequest, EmbeddingUsage
from saccade.serve.tokens import lengths
from saccade.serve.work import Work
from saccade.tasks.vectors import Floats


@dataclass(frozen=True)
class Embedded(Work[BertRun, str, Floats]):
    """As ``saccade embed`` does it: the mean of the last layer."""

    normalize: bool

    def do(self, run: BertRun, items: Sequence[str], gone: Gone) -> list[Floats]:
        del gone  # it is soon done
        return list(run.sentence_vectors(items, normalize=self.normalize))


async def embed(served: Served, asked: EmbeddingRequest) -> EmbeddingAnswer:
    run: BertRun = served.as_(BertRun, "embeddings")  # type: ignore[type-abstract]
    texts = listed(asked.input)
    sizes = await lengths(served.limits, run.tokenizer, texts, most=served.most, param="input")
    items = [Sized(text, size) for text, size in zip(texts, sizes, strict=True)]
    found = await served.queue.ask(Embedded(asked.normalize), items)
    return EmbeddingAnswer(
        model=served.name,
        data=[
            Embedding(index=index, embedding=_packed(vector) if asked.encoding_format == "base64" else vector.tolist())
            for index, vector in enumerate(found)
        ],
        usage=EmbeddingUsage(prompt_tokens=sum(sizes), total_tokens=sum(sizes)),
    )


def _packed(vector: Floats) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
