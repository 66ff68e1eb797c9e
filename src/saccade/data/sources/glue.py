"""The official files of GLUE (Wang et al. 2018): which task has which files, columns and labels.

The files are tables without quoting: a lone ``"`` is text. All have a header but CoLA's train and dev; the test files
have an index column, no label, and often another order of columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from saccade.data.sources.columns import Columns
from saccade.data.sources.files import SourceFile, find_file
from saccade.data.sources.lines import lines
from saccade.data.sources.near import did_you_mean
from saccade.errors import DataError

HOW = "expected glue:TASK:FOLDER or glue:TASK:FILE, as in glue:sst-2:glue/SST-2"
SPLIT_FILES = MappingProxyType({"train": "train.tsv", "valid": "dev.tsv", "test": "test.tsv"})
NLI_LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT = ("entailment", "not_entailment")
YES_NO = ("0", "1")
TWO_SENTENCES = Columns("sentence1", "sentence2", "label")


@dataclass(frozen=True, kw_only=True)
class GlueTask:
    """``labels`` are the classes as the files write them, none where a number is to be found.

    ``folders`` are the names under which the task's folder is known. ``headerless`` are the columns of a file that has
    no header. ``broken`` rows, as QQP's train file holds a few (questions with a line break), are left out.
    """

    name: str
    folders: tuple[str, ...]
    labels: tuple[str, ...]
    columns: Columns
    files: Mapping[str, str] = field(default_factory=lambda: SPLIT_FILES)
    headerless: Columns | None = None
    broken: Literal["refused", "left out"] = "refused"


def _mnli(name: str, kind: str) -> GlueTask:
    return GlueTask(
        name=name,
        folders=("MNLI",),
        labels=NLI_LABELS,
        columns=Columns("sentence1", "sentence2", "gold_label"),
        files={"train": "train.tsv", "valid": f"dev_{kind}.tsv", "test": f"test_{kind}.tsv"},
    )


_TASKS = (
    GlueTask(
        name="cola",
        folders=("CoLA",),
        labels=YES_NO,
        columns=Columns("sentence", label="label"),
        headerless=Columns("4", label="2"),
    ),
    GlueTask(name="sst-2", folders=("SST-2",), labels=YES_NO, columns=Columns("sentence", label="label")),
    GlueTask(name="mrpc", folders=("MRPC",), labels=YES_NO, columns=Columns("#1 String", "#2 String", "Quality")),
    GlueTask(name="sts-b", folders=("STS-B",), labels=(), columns=Columns("sentence1", "sentence2", "score")),
    GlueTask(
        name="qqp",
        folders=("QQP",),
        labels=YES_NO,
        columns=Columns("question1", "question2", "is_duplicate"),
        broken="left out",
    ),
    _mnli("mnli", "matched"),
    _mnli("mnli-mm", "mismatched"),
    GlueTask(name="qnli", folders=("QNLI",), labels=ENTAILMENT, columns=Columns("question", "sentence", "label")),
    GlueTask(name="rte", folders=("RTE",), labels=ENTAILMENT, columns=TWO_SENTENCES),
    GlueTask(name="wnli", folders=("WNLI",), labels=YES_NO, columns=TWO_SENTENCES),
    GlueTask(
        name="ax",
        folders=("AX", "diagnostic"),
        labels=NLI_LABELS,
        columns=TWO_SENTENCES,
        files={"test": "diagnostic.tsv"},
    ),
)
GLUE_TASKS: Mapping[str, GlueTask] = MappingProxyType({task.name: task for task in _TASKS})


@dataclass(frozen=True)
class GlueFile:
    """One official file that was found, and the columns it has."""

    task: GlueTask
    file: SourceFile
    columns: Columns


def glue_task(name: str) -> GlueTask:
    """The task of that name; ``SST-2``, ``sst-2`` and ``sst2`` are one, and ``mnli-m`` is ``mnli``."""
    known = {_plain(task): task for task in GLUE_TASKS} | {"mnlim": "mnli"}
    found = known.get(_plain(name))
    if found is None:
        near = did_you_mean(name.lower(), GLUE_TASKS)
        raise DataError(f'there is no GLUE task "{name}"{near}; there are: {", ".join(GLUE_TASKS)}')
    return GLUE_TASKS[found]


def glue_file(rest: str, base: Path, *, split: str) -> GlueFile:
    """The file of ``sst-2:glue/SST-2`` for a split, or the one that is named itself: ``sst-2:glue/SST-2/dev.tsv``.

    The folder is the task's own, or the one in which all tasks have theirs.
    """
    name, colon, shown = rest.partition(":")
    if not (name and colon and shown):
        raise DataError(f"glue:{rest}: {HOW}")
    task = glue_task(name)
    if (base / shown).is_dir():
        shown = _in_folder(task, Path(shown), base, split)
    file = find_file(shown, base)
    first = next(lines(file)).split("\t")
    if task.headerless is not None and task.columns.text not in first:
        return GlueFile(task, file, task.headerless)
    return GlueFile(task, file, task.columns)


def _in_folder(task: GlueTask, folder: Path, base: Path, split: str) -> str:
    if split not in task.files:
        raise DataError(
            f"glue:{task.name} has no labels, and so no file for {split}, only for {', '.join(task.files)}: name "
            "another task; what a model says of this one is written with evaluate --submit"
        )
    name = task.files[split]
    places = [folder / name, *(folder / own / name for own in task.folders)]
    found = next((place for place in places if (base / place).exists()), None)
    if found is None:
        raise DataError(f"glue:{task.name}: no file for {split}: looked for {' and '.join(map(str, places))}")
    return str(found)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
