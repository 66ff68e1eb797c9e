"""The report of a run, with the attention of one of its validation examples."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.runs import Run


def write_report(run: "Run") -> None:
    """``report.html`` from what lies in the run folder."""
    from saccade.files import write_text
    from saccade.view.report import report

    layers = run.example().layers
    write_text(run.folder.report, report(run.folder.path, attended=layers, title=run.folder.path.name))
