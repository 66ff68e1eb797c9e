"""Saying what pictures show."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from saccade.data.examples import PictureRef
from saccade.decoding import Gone
from saccade.runs import Captioned, CaptionRun
from saccade.serve.models import Served
from saccade.serve.queue import Sized
from saccade.serve.refusals import Unfit
from saccade.serve.schemas.caption import CaptionAnswer, CaptionedAnswer
from saccade.serve.verbs.translate import candidates
from saccade.serve.work import Work
from saccade.tasks.captioned import Told

PLACES = 64  # tokens that a picture counts as
NAME = "the picture"


@contextmanager
def as_files(pictures: Sequence[bytes]) -> Iterator[list[Path]]:
    """Pictures as files, which is how runs read them; they are gone when the block ends."""
    with TemporaryDirectory(prefix="saccade-pictures-") as place:
        paths = [Path(place) / str(number) for number in range(len(pictures))]
        for path, data in zip(paths, pictures, strict=True):
            path.write_bytes(data)
        yield paths


@dataclass(frozen=True)
class Captioning(Work[CaptionRun, bytes, Captioned]):
    """As ``saccade caption`` does it."""

    beam: int | None

    def do(self, run: CaptionRun, items: Sequence[bytes], gone: Gone) -> list[Captioned]:
        del gone  # captions are short
        with as_files(items) as paths:
            return run.caption([Told(NAME, (), PictureRef(path, NAME)) for path in paths], beam=self.beam)


async def caption(served: Served, picture: bytes, beam: int | None) -> CaptionAnswer:
    served.as_(CaptionRun, "caption")
    if not picture:
        raise Unfit("the file is empty: send a picture", "file")
    (found,) = await served.queue.ask(Captioning(beam), [Sized(picture, PLACES)])
    said = CaptionedAnswer(text=found.text, candidates=candidates(found.described.candidates))
    return CaptionAnswer(model=served.name, data=[said])
