"""The report of a run, with the attention of one of its validation examples."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.runs import Trained


def write_report(run: "Trained") -> None:
    """``report.html`` from what lies in the run folder."""
    from saccade.files import write_text
    from saccade.runs import CaptionRun, PictureRun, Run
    from saccade.view.captioned import CaptionedPicture
    from saccade.view.report import report

    pictures: list[CaptionedPicture] = []
    if isinstance(run, CaptionRun):
        pictures = [one.shown() for one in run.examples()]
    elif isinstance(run, PictureRun) and (look := run.example()) is not None:
        pictures = [look.drawn(heads_of=())]
    layers = run.example().layers if isinstance(run, Run) and run.validated and not pictures else ()
    title = run.folder.path.name
    write_text(run.folder.report, report(run.folder.path, attended=layers, pictures=pictures, title=title))
