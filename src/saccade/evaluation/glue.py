"""GLUE's official metric of each task, and the file in which its server takes predictions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from saccade.data.examples import Labelled
from saccade.data.sources import GlueTask, LabelSet, number_of
from saccade.errors import DataError
from saccade.evaluation.classification import accuracy, f1, matthews
from saccade.evaluation.correlation import pearson, spearman
from saccade.evaluation.measured import RESAMPLES, Measured, PredictionScores, scored
from saccade.files import write_text

Classes = Sequence[str]
Predictions = Sequence[str] | Sequence[float]
ClassMetric = Callable[[Classes, Classes], Measured]

LOWEST, HIGHEST = 0.0, 5.0  # the scale of STS-B


def _f1_of_duplicates(gold: Classes, predicted: Classes) -> Measured:
    return f1(gold, predicted, positive="1")


@dataclass(frozen=True)
class Submitted:
    """The name of a task's file and how many rows the server expects in it."""

    name: str
    rows: int


@dataclass(frozen=True)
class Submission:
    """A file that was written; it is ``complete`` if it has as many rows as the official test set."""

    path: Path
    rows: int
    expected: int

    @property
    def complete(self) -> bool:
        return self.rows == self.expected


METRICS: Mapping[str, tuple[ClassMetric, ...]] = MappingProxyType(
    {
        "cola": (matthews,),
        "sst-2": (accuracy,),
        "mrpc": (_f1_of_duplicates, accuracy),
        "qqp": (_f1_of_duplicates, accuracy),
        "mnli": (accuracy,),
        "mnli-mm": (accuracy,),
        "qnli": (accuracy,),
        "rte": (accuracy,),
        "wnli": (accuracy,),
        "ax": (matthews,),
    }
)
SUBMITTED: Mapping[str, Submitted] = MappingProxyType(
    {
        "cola": Submitted("CoLA.tsv", 1_063),
        "sst-2": Submitted("SST-2.tsv", 1_821),
        "mrpc": Submitted("MRPC.tsv", 1_725),
        "sts-b": Submitted("STS-B.tsv", 1_379),
        "qqp": Submitted("QQP.tsv", 390_965),
        "mnli": Submitted("MNLI-m.tsv", 9_796),
        "mnli-mm": Submitted("MNLI-mm.tsv", 9_847),
        "qnli": Submitted("QNLI.tsv", 5_463),
        "rte": Submitted("RTE.tsv", 3_000),
        "wnli": Submitted("WNLI.tsv", 146),
        "ax": Submitted("AX.tsv", 1_104),
    }
)


def measure_glue(task: GlueTask, examples: Sequence[Labelled], predicted: Predictions) -> tuple[Measured, ...]:
    """The official metrics of a task on predicted labels, written as in its files, or numbers (STS-B)."""
    if unlabelled := next((example for example in examples if example.label is None), None):
        raise DataError(
            f"{unlabelled.where}: has no label: the official test sets are scored by GLUE's server alone; "
            "score the dev file, or write a submission"
        )
    if not task.labels:
        gold = [number_of(example) for example in examples]
        numbers = _numbers(predicted)
        return (pearson(gold, numbers), spearman(gold, numbers))
    known = LabelSet(task.labels)
    classes = [task.labels[known.number(example.label, example.where)] for example in examples]
    found = _classes(task, predicted)
    return tuple(metric(classes, found) for metric in METRICS[task.name])


def score_glue(
    task: GlueTask, examples: Sequence[Labelled], predicted: Predictions, *, resamples: int = RESAMPLES
) -> PredictionScores:
    """The official metrics with their intervals; 0 resamples: no interval."""
    return scored(measure_glue(task, examples, predicted), settings=f"glue:{task.name}", resamples=resamples)


def write_submission(folder: Path, task: GlueTask, predicted: Predictions) -> Submission:
    """Write the predictions for the official test file, in its order, into ``folder``, under the official name."""
    submitted = SUBMITTED[task.name]
    if task.labels:
        cells = _classes(task, predicted)
    else:
        cells = [f"{min(max(LOWEST, number), HIGHEST):.3f}" for number in _numbers(predicted)]
    lines = ["index\tprediction", *(f"{index}\t{cell}" for index, cell in enumerate(cells))]
    path = folder / submitted.name
    write_text(path, "\n".join(lines) + "\n")
    return Submission(path, len(cells), submitted.rows)


def _classes(task: GlueTask, predicted: Predictions) -> list[str]:
    known = LabelSet(task.labels)
    return [
        task.labels[known.number(str(label), f"prediction {number}")] for number, label in enumerate(predicted, start=1)
    ]


def _numbers(predicted: Predictions) -> list[float]:
    """Checked like the numbers of a file."""
    shown = (Labelled("", label=str(number), where=f"prediction {place}") for place, number in enumerate(predicted, 1))
    return [number_of(prediction) for prediction in shown]
