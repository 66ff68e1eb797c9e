"""Fine-tuned BERTs: classify texts and pairs, find numbers, tag words, and be scored on held-out examples."""

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from saccade.data.examples import Labelled, Tagged
from saccade.data.sources import LabelSet, glue_task, number_of, read_labelled, read_tagged
from saccade.errors import DataError
from saccade.evaluation.classification import class_metrics, word_accuracy
from saccade.evaluation.correlation import pearson, spearman
from saccade.evaluation.entities import score_entities
from saccade.evaluation.glue import Submission, measure_glue, write_submission
from saccade.evaluation.measured import scored, to_score
from saccade.evaluation.results import Result, append_result
from saccade.evaluation.translation import Score
from saccade.models import BertClassifier, BertTagger
from saccade.runs.bert import BertRun
from saccade.runs.run import LONGEST, Look
from saccade.tasks.predicting import classified, tagged
from saccade.tasks.spool import read_labelled_spool
from saccade.training.kinds import labelled_settings

GLUE = "glue:"


@dataclass(frozen=True)
class Classified:
    """A text or a pair with the likeliest label, and how likely each is; without labels, a ``number``."""

    text: str
    second: str | None
    label: str | None
    number: float | None
    probabilities: dict[str, float]


@dataclass(frozen=True)
class LabelledEvaluation:
    """The scores of one run on one set of examples, and what it said of each."""

    scores: tuple[Score, ...]
    said: tuple[str, ...] = field(repr=False)
    result: Result = field(repr=False)
    submission: Submission | None = None


class LabelledRun(BertRun):
    """What classifiers and taggers have in common."""

    @property
    def labels(self) -> LabelSet:
        return LabelSet(self.tokenizers.labels)

    @property
    def most(self) -> int:
        """Tokens of a text with its marks; what is longer is cut, as in training."""
        return self.recipe.data.max_length

    @abstractmethod
    def evaluate(
        self, data: str | None = None, *, submit: Path | None = None, command: str = "LabelledRun.evaluate"
    ) -> LabelledEvaluation:
        """Scores on ``data``, or the recipe's test set; kept in the run's results.json.

        With ``submit`` the answers are written into that folder in the form that GLUE's server takes; official test
        sets have no labels to be scored on.
        """

    def _keep(
        self,
        spec: str,
        count: int,
        scores: Sequence[Score],
        seconds: float,
        command: str,
        unit: str = "examples",
    ) -> Result:
        result = Result(
            scores=tuple(scores),
            data=spec,
            sentences=count,
            unit=unit,
            decode={"max_length": self.most},
            seconds=round(seconds, 3),
            command=command,
        )
        if scores:
            append_result(self.folder.path, result)
        return result


class ClassifierRun(LabelledRun):
    """A trained classifier of texts or pairs; for task regression, one that says numbers."""

    model: BertClassifier

    @property
    def finds_numbers(self) -> bool:
        return self.recipe.task == "regression"

    def classify(self, texts: Sequence[str], seconds: Sequence[str] | None = None) -> list[Classified]:
        """What the model says of each text, or of each pair."""
        pairs = [None] * len(texts) if seconds is None else list(seconds)
        if len(pairs) != len(texts):
            raise DataError(f"{len(texts):,} first texts and {len(pairs):,} second ones: give one for each")
        examples = [Labelled(one, other) for one, other in zip(texts, pairs, strict=True)]
        found = []
        for example, scores_L in zip(examples, self._scores(examples), strict=True):
            if self.finds_numbers:
                found.append(Classified(example.text, example.second, None, float(scores_L[0]), {}))
                continue
            shares = np.exp(scores_L - scores_L.max())
            shares = shares / shares.sum()
            names = self.labels.names
            found.append(
                Classified(
                    example.text,
                    example.second,
                    names[int(scores_L.argmax())],
                    None,
                    {name: float(share) for name, share in zip(names, shares, strict=True)},
                )
            )
        return found

    def evaluate(
        self, data: str | None = None, *, submit: Path | None = None, command: str = "LabelledRun.evaluate"
    ) -> LabelledEvaluation:
        spec = self.test_set(data)
        task = glue_task(spec.split(":")[1]) if spec.startswith(GLUE) else None
        if submit is not None:
            if task is None:
                raise DataError(f"{spec} is not of GLUE: a submission answers a test set such as glue:sst-2:FOLDER")
            _make_folder(submit)  # before the work that would be lost
        settings = labelled_settings(self.recipe)
        examples = list(read_labelled(spec, split="test" if submit else "valid", columns=settings.columns))
        began = time.perf_counter()
        scores_NL = self._scores(examples)
        seconds = time.perf_counter() - began
        names = self.labels.names
        said = (
            [f"{number:.6g}" for number in scores_NL[:, 0]]
            if self.finds_numbers
            else [names[number] for number in scores_NL.argmax(axis=1)]
        )
        if submit is not None and task is not None:
            submission = write_submission(submit, task, said)
            return LabelledEvaluation((), tuple(said), self._keep(spec, len(said), (), seconds, command), submission)
        if task is not None:
            measured = measure_glue(task, examples, said)
        elif self.finds_numbers:
            truth, found = [number_of(one) for one in examples], [float(number) for number in scores_NL[:, 0]]
            measured = (pearson(truth, found), spearman(truth, found))
        else:
            classes = [names[self.labels.number(one.label, one.where)] for one in examples]
            measured = tuple(class_metrics(classes, said, names).values())
        scores = scored(measured, settings=f"glue:{task.name}" if task else "").scores
        return LabelledEvaluation(scores, tuple(said), self._keep(spec, len(examples), scores, seconds, command))

    def example(self) -> Look:
        first = next(read_labelled_spool(self.folder.data / "valid.jsonl"))
        if not isinstance(first, Labelled):
            raise DataError(f"{self.folder.data} holds no labelled texts")
        short = [" ".join(text.split()[:LONGEST]) for text in (first.text, first.second) if text]
        return self.look(*short)

    def _scores(self, examples: Sequence[Labelled]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        found: np.ndarray[tuple[int, int], np.dtype[np.float32]] = classified(
            self.model, self.tokenizer, examples, most=self.most
        )
        return found


class TaggerRun(LabelledRun):
    """A trained tagger of words."""

    model: BertTagger

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[Tagged]:
        """A tag for each word of each sentence."""
        names = self.labels.names
        found = tagged(self.model, self.tokenizer, sentences, most=self.most)
        return [
            Tagged(tuple(words), tuple(names[number] for number in scores_WL.argmax(axis=1)))
            for words, scores_WL in zip(sentences, found, strict=True)
        ]

    def evaluate(
        self, data: str | None = None, *, submit: Path | None = None, command: str = "LabelledRun.evaluate"
    ) -> LabelledEvaluation:
        if submit is not None:
            raise DataError("GLUE has no task for taggers: there is nothing to submit")
        spec = self.test_set(data)
        sentences = list(read_tagged(spec, tags=self.recipe.data.tags))
        began = time.perf_counter()
        said = [one.tags for one in self.tag([one.words for one in sentences])]
        seconds = time.perf_counter() - began
        gold = [one.tags for one in sentences]
        if self.recipe.data.tags == "entities":
            scores = score_entities(gold, said).scores
        else:
            scores = (to_score(word_accuracy(gold, said), unit="sentences"),)
        result = self._keep(spec, len(sentences), scores, seconds, command, unit="sentences")
        return LabelledEvaluation(scores, tuple(" ".join(tags) for tags in said), result)

    def example(self) -> Look:
        first = next(read_labelled_spool(self.folder.data / "valid.jsonl"))
        if not isinstance(first, Tagged):
            raise DataError(f"{self.folder.data} holds no tagged sentences")
        return self.look(" ".join(first.words[:LONGEST]))


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{path} cannot be made a folder ({error.strerror}): name another to submit") from error
