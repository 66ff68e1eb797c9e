"""The report of a run, with the attention of one of its validation sentences."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.runs import Run

LONGEST = 20  # words: an example that can be read at a glance


def write_report(run: "Run") -> None:
    """``report.html`` from what lies in the run folder."""
    from saccade.files import write_text
    from saccade.tasks.spool import read_spool
    from saccade.view.report import report

    valid = list(read_spool(run.folder.data / "valid.jsonl"))
    short = [pair for pair in valid if 4 <= len(pair.source.split()) <= LONGEST] or valid[:1]
    example = max(short[:50], key=lambda pair: len(pair.source.split()))
    look = run.look(example.source, to=example.into)
    write_text(run.folder.report, report(run.folder.path, attended=look.layers, title=run.folder.path.name))
