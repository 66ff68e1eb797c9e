"""A language model that was trained: look inside, evaluate and go on with a text."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, overload

import torch

from saccade import scenes
from saccade.attention import EVERYTHING, Asked, Written, recorders
from saccade.data.examples import Document
from saccade.data.sources import read_documents
from saccade.data.tokenizers import Tokenizer
from saccade.decoding import Chance, Generating, Gone, Sampling
from saccade.errors import DataError, DecodingError
from saccade.evaluation.language import LanguageScores, Read, compare_language, score_language
from saccade.evaluation.results import Result, append_result
from saccade.evaluation.translation import PairedTest
from saccade.models import LanguageModel
from saccade.runs.run import LONGEST, Look, Run
from saccade.tasks.continuing import Generated, Show, continued, generate
from saccade.tasks.spool import read_document_spool
from saccade.tasks.surprise import surprise


@dataclass(frozen=True)
class LanguageEvaluation:
    """The scores of one run on one text, and what each document of it cost."""

    scores: LanguageScores
    documents: tuple[Document, ...] = field(repr=False)
    read: tuple[Read, ...] = field(repr=False)
    result: Result = field(repr=False)


class LanguageRun(Run):
    """A trained language model with its recipe and tokenizer."""

    model: LanguageModel

    @property
    def tokenizer(self) -> Tokenizer:
        return self.tokenizers.target

    def continued(self, text: str, *, most: int = 32) -> str:
        """What the model holds most likely after ``text``, at most so many tokens."""
        ids = self._checked(text)
        return self.tokenizer.decode(continued(self.model, self.tokenizer, [ids], most=most)[0])

    @overload
    def generate(
        self,
        prompts: str,
        *,
        stop: str | Sequence[str] = (),
        show: Show | None = None,
        chances: Sequence[Chance] | None = None,
        gone: Gone | None = None,
        **settings: Any,
    ) -> Generated: ...

    @overload
    def generate(
        self,
        prompts: Sequence[str],
        *,
        stop: str | Sequence[str] = (),
        show: Show | None = None,
        chances: Sequence[Chance] | None = None,
        gone: Gone | None = None,
        **settings: Any,
    ) -> list[Generated]: ...

    def generate(
        self,
        prompts: str | Sequence[str],
        *,
        stop: str | Sequence[str] = (),
        show: Show | None = None,
        chances: Sequence[Chance] | None = None,
        gone: Gone | None = None,
        **settings: Any,
    ) -> Generated | list[Generated]:
        """Goes on with a prompt, or with several side by side.

        ``settings``: tries, temperature, top_k, top_p, seed, max_tokens; what is left out, or None, is as in
        ``Generating`` and ``Sampling``. Each text ends at the model's own end mark, before a ``stop`` string, after
        ``max_tokens``, or where the model's positions end, as its ``end`` says. ``show`` is given the texts while they
        are written. With ``chances`` each prompt is drawn as if it had been asked for apart from the others; one that
        is ``gone`` is given up.
        """
        chosen = generating(**settings)
        listening = recorders(self.model)
        for recorder in listening:
            recorder.start()
        try:
            found = generate(
                self.model,
                self.tokenizer,
                [prompts] if isinstance(prompts, str) else prompts,
                chosen,
                stop=[stop] if isinstance(stop, str) else stop,
                show=show,
                chances=chances,
                gone=gone,
            )
        finally:
            for recorder in listening:
                recorder.finish()
        return found[0] if isinstance(prompts, str) else found

    def look(self, text: str, *, asked: Asked = EVERYTHING) -> Look:
        """Reads ``text`` and keeps which earlier words each word looked at, in every attention layer."""
        if not text.strip():
            raise DecodingError("there is nothing to look at in an empty text")
        read = [self.tokenizer.bos_id, *self._checked(text)]
        pieces = tuple(self.tokenizer.pieces(read))
        device = next(self.model.parameters()).device
        with torch.no_grad(), asked.recorder(self.model) as seen:
            seen.start()
            self.model(torch.tensor([read], device=device))
            # A row belongs to the word that is read there, not to the one that would be written after it.
            seen.gather([Written(index=0, sentence=0, rows=None, source=(), target=pieces, read=pieces)])
        return Look.of(text, None, seen, asked)

    def example(self) -> Look:
        """The beginning of the first validation document."""
        document = next(read_document_spool(self.folder.data / "valid.jsonl"))
        ids = self.tokenizer.encode_batch([document.text])[0]
        return self.look(self.tokenizer.decode(ids[:LONGEST]))

    def documents(self, spec: str) -> list[Document]:
        """Every document of a test text."""
        schemes = {"scenes": scenes.read_documents}
        return list(read_documents(spec, split="test", borders=self.recipe.data.documents, schemes=schemes))

    def evaluate(
        self,
        data: str | None = None,
        *,
        documents: Sequence[Document] | None = None,
        command: str = "LanguageRun.evaluate",
    ) -> LanguageEvaluation:
        """Perplexity and bits per byte of each document read for itself; kept in the run's results.json.

        ``data`` is given like ``data.test`` in a recipe; without it the recipe's test set is taken. ``documents`` are
        those of ``data`` when they were read already.
        """
        spec = self.test_set(data)
        documents = tuple(self.documents(spec) if documents is None else documents)
        context = self.recipe.data.context
        began = time.perf_counter()
        read = surprise(
            self.model,
            self.tokenizer,
            documents,
            context=context,
            batch_tokens=self.recipe.decode.batch_tokens,
        )
        seconds = time.perf_counter() - began
        settings = f"context:{context}|tokenizer:{self.tokenizer.kind}.{self.tokenizer.vocab_size}"
        if self.recipe.tokenizer.lowercase:
            settings += "|case:lower"
        scores = score_language(read, settings=settings)
        result = Result(
            scores=scores.scores,
            data=spec,
            sentences=len(documents),
            unit="documents",
            decode={"context": context},
            seconds=round(seconds, 3),
            command=command,
        )
        append_result(self.folder.path, result)
        return LanguageEvaluation(scores, documents, tuple(read), result)

    def _checked(self, text: str) -> list[int]:
        ids = self.tokenizer.encode_batch([text])[0]
        limit = self.model.max_length
        if limit is not None and len(ids) >= limit:
            raise DecodingError(
                f"the text has {len(ids):,} tokens, but the model's positions end at {limit:,} with the start mark: "
                "give a shorter one"
            )
        return ids


def generating(**settings: Any) -> Generating:
    """How to go on with a text, from what was asked for; None stands for the default."""
    asked = {name: value for name, value in settings.items() if value is not None}
    known = {one.name for kind in (Generating, Sampling) for one in fields(kind)} - {"sampling"}
    if unknown := sorted(asked.keys() - known):
        raise DecodingError(f"generate knows no setting {unknown[0]!r}; it has {', '.join(sorted(known))}")
    drawn = {one.name: asked.pop(one.name) for one in fields(Sampling) if one.name in asked}
    return Generating(**asked, sampling=Sampling(**drawn))


def compare_texts(a: LanguageEvaluation, b: LanguageEvaluation) -> PairedTest:
    """The paired test of two evaluations of the same text, by bits per byte."""
    if [document.text for document in a.documents] != [document.text for document in b.documents]:
        raise DataError("two runs can only be compared on the same test documents")
    return compare_language(a.read, b.read)
