"""The report of a run, with the attention of one of its validation examples."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.runs import Run


def write_report(run: "Run") -> None:
    """``report.html`` from what lies in the run folder."""
    from saccade.files import write_text
    from saccade.runs import CaptionRun
    from saccade.view.report import report

    path = run.folder.path
    if isinstance(run, CaptionRun):
        page = report(path, pictures=[one.shown() for one in run.examples()], title=path.name)
    else:
        page = report(path, attended=run.example().layers, title=path.name)
    write_text(run.folder.report, page)
