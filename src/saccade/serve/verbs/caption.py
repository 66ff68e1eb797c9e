"""Saying what pictures show."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.decoding import Gone
from saccade.runs import Captioned, CaptionRun
from saccade.serve.models import Served
from saccade.serve.pictures import PLACES, Sent, as_files
from saccade.serve.queue import Sized
from saccade.serve.refusals import Unfit
from saccade.serve.schemas.caption import CaptionAnswer, CaptionedAnswer
from saccade.serve.verbs.translate import candidates
from saccade.serve.work import Work
from saccade.tasks.captioned import Told


@dataclass(frozen=True)
class Captioning(Work[CaptionRun, Sent, Captioned]):
    """As ``saccade caption`` does it."""

    beam: int | None

    def do(self, run: CaptionRun, items: Sequence[Sent], gone: Gone) -> list[Captioned]:
        del gone  # captions are short
        with as_files(items) as files:
            return run.caption([Told(file.name, (), file) for file in files], beam=self.beam)


async def caption(served: Served, picture: bytes, beam: int | None) -> CaptionAnswer:
    served.as_(CaptionRun, "caption")
    if not picture:
        raise Unfit("the file is empty: send a picture", "file")
    (found,) = await served.queue.ask(Captioning(beam), [Sized(Sent(picture), PLACES)])
    said = CaptionedAnswer(text=found.text, candidates=candidates(found.described.candidates))
    return CaptionAnswer(model=served.name, data=[said])
