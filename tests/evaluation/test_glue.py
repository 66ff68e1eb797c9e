from pathlib import Path

import pytest

from saccade.data.examples import Labelled
from saccade.data.sources import GLUE_TASKS, glue_task
from saccade.errors import DataError
from saccade.evaluation.glue import SUBMITTED, score_glue, write_submission

METRICS = {
    "cola": ["Matthews correlation"],
    "sst-2": ["accuracy"],
    "mrpc": ["F1", "accuracy"],
    "sts-b": ["Pearson", "Spearman"],
    "qqp": ["F1", "accuracy"],
    "mnli": ["accuracy"],
    "mnli-mm": ["accuracy"],
    "qnli": ["accuracy"],
    "rte": ["accuracy"],
    "wnli": ["accuracy"],
    "ax": ["Matthews correlation"],
}


def labelled(*labels: str | None) -> list[Labelled]:
    return [Labelled("x", label=label, where=f"dev.tsv:{number}") for number, label in enumerate(labels, start=2)]


@pytest.mark.parametrize("name", GLUE_TASKS)
def test_every_task_has_its_official_metrics(name: str) -> None:
    task = GLUE_TASKS[name]
    labels = task.labels or ("0.5", "2.250", "5")
    predicted = labels if task.labels else [float(label) for label in labels]
    found = score_glue(task, labelled(*labels), predicted)
    assert [score.name for score in found.scores] == METRICS[name]
    assert [score.value for score in found.scores] == pytest.approx([100] * len(found.scores))
    assert all(score.signature.startswith(f"examples:{len(labels)}|glue:{name}|bs:1000") for score in found.scores)
    assert found.examples == len(labels)


def test_f1_is_of_the_paraphrases() -> None:
    found = score_glue(glue_task("mrpc"), labelled("1", "1", "0", "0", "0"), ["1", "0", "0", "0", "0"])
    assert [score.value for score in found.scores] == pytest.approx([200 / 3, 80])


def test_matthews_of_three_classes() -> None:
    gold = labelled("entailment", "entailment", "neutral", "contradiction")
    predicted = ["entailment", "neutral", "neutral", "contradiction"]
    # c = 3 of s = 4; t = 2 1 1, p = 1 2 1: (12 − 5) / √((16 − 6)(16 − 6))
    assert score_glue(glue_task("ax"), gold, predicted).scores[0].value == pytest.approx(70)


def test_labels_that_the_task_has_not() -> None:
    with pytest.raises(DataError, match=r'dev.tsv:3: unknown label "maybe"; the known ones are entailment, not_entai'):
        score_glue(glue_task("rte"), labelled("entailment", "maybe"), ["entailment", "entailment"])
    with pytest.raises(DataError, match=r'prediction 2: unknown label "1"; the known ones are entailment, not_entai'):
        score_glue(glue_task("rte"), labelled("entailment", "entailment"), ["entailment", "1"])
    with pytest.raises(DataError, match=r'dev.tsv:2: the label is "high": a regression expects a number'):
        score_glue(glue_task("sts-b"), labelled("high"), [1.0])


def test_an_official_test_set_has_no_labels() -> None:
    with pytest.raises(DataError, match=r"dev.tsv:3: has no label: the official test sets are scored by GLUE's server"):
        score_glue(glue_task("sst-2"), labelled("1", None), ["1", "1"])


@pytest.mark.parametrize("name", GLUE_TASKS)
def test_submissions_have_the_official_form(name: str, tmp_path: Path) -> None:
    task = GLUE_TASKS[name]
    if task.labels:
        predicted, cells = [*task.labels, task.labels[0]], [*task.labels, task.labels[0]]
    else:
        predicted, cells = [-0.2, -0.0, 2.34567, 5.1], ["0.000", "0.000", "2.346", "5.000"]
    submission = write_submission(tmp_path, task, predicted)
    rows = [f"{index}\t{cell}" for index, cell in enumerate(cells)]
    assert submission.path.read_text(encoding="utf-8").split("\n") == ["index\tprediction", *rows, ""]
    assert (submission.rows, submission.complete) == (len(cells), False)


def test_official_names() -> None:
    names = "CoLA SST-2 MRPC STS-B QQP MNLI-m MNLI-mm QNLI RTE WNLI AX"
    assert [SUBMITTED[task].name for task in GLUE_TASKS] == [f"{name}.tsv" for name in names.split()]


def test_a_submission_is_complete_with_all_rows_of_the_test_set(tmp_path: Path) -> None:
    assert write_submission(tmp_path, glue_task("wnli"), ["1"] * 146).complete
    assert not write_submission(tmp_path, glue_task("wnli"), ["1"] * 145).complete


def test_predictions_that_cannot_be_submitted(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r'prediction 1: unknown label "yes"; the known ones are 0, 1'):
        write_submission(tmp_path, glue_task("cola"), ["yes"])
    with pytest.raises(DataError, match=r'prediction 2: the label is "nan": a regression expects a number'):
        write_submission(tmp_path, glue_task("sts-b"), [1.0, float("nan")])
    assert list(tmp_path.iterdir()) == []
