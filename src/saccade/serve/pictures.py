"""Pictures that come with a request, in base64 or as a file."""

import base64
import binascii
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from saccade.data.examples import PictureRef
from saccade.serve.refusals import Unfit

PLACES = 64  # tokens that a picture counts as


@dataclass(frozen=True)
class Sent:
    """The bytes of a picture's file; ``name`` is what messages call it."""

    data: bytes
    name: str = "the picture"


def from_base64(text: str, param: str) -> Sent:
    """``param`` is the field that it stood in."""
    try:
        return Sent(base64.b64decode(text, validate=True), param)
    except (binascii.Error, ValueError) as error:
        raise Unfit(f"{param} is a picture's file in base64: this is none", param) from error


@contextmanager
def as_files(pictures: Sequence[Sent]) -> Iterator[list[PictureRef]]:
    """Pictures as files, which is how runs read them; they are gone when the block ends."""
    with TemporaryDirectory(prefix="saccade-pictures-") as place:
        refs = [PictureRef(Path(place) / str(number), one.name) for number, one in enumerate(pictures)]
        for ref, one in zip(refs, pictures, strict=True):
            ref.path.write_bytes(one.data)
        yield refs
