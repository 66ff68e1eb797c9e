"""The report of a run, with the attention of one of its validation examples."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.runs import Trained


def write_report(run: "Trained") -> None:
    """``report.html`` from what lies in the run folder."""
    from saccade.files import write_text
    from saccade.runs import PictureRun, Run
    from saccade.view.report import report

    layers = run.example().layers if isinstance(run, Run) else ()
    look = run.example() if isinstance(run, PictureRun) else None
    pictures = () if look is None else (look.drawn(heads_of=()),)
    title = run.folder.path.name
    write_text(run.folder.report, report(run.folder.path, attended=layers, pictures=pictures, title=title))
