"""Decoding a picture, whatever its format, mode and orientation, into red, green and blue; refusing what is broken.

Shapes: H height, W width.
"""

import threading
import warnings
from typing import BinaryIO, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image, UnidentifiedImageError

from saccade.data.examples import PictureRef
from saccade.data.images.opening import opened_picture
from saccade.errors import DataError

Pixels = npt.NDArray[np.uint8]
Fit = Literal["crop", "squash"]

# One limit for every way in: 240 MB once decoded. It is below the number at which Pillow begins to warn.
MAX_PIXELS = 80_000_000
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
BETWEEN = 2  # JPEG may be decoded smaller, but not below this many times the wanted size: the rest is resampled
SIXTEEN_BIT = ("I", "I;16", "I;16B", "I;16L", "I;16N")

ORIENTATION = 0x0112  # the EXIF tag: what has to be done to a picture to see it upright
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}

_opening = threading.Lock()


def read_picture(ref: PictureRef, *, size: int | None = None, fit: Fit = "crop") -> Pixels:
    """The picture as ``uint8`` (H, W, 3), red, green and blue.

    With a ``size`` it is made a square of that many pixels a side: ``crop`` takes the largest square from its middle
    (the shorter side becomes ``size``), ``squash`` takes all of it and gives up its proportions. EXIF orientation is
    applied; greyscale, palette, 16-bit, CMYK and the like become RGB; what is transparent lies on white; of an animated
    picture the first frame counts.
    """
    with opened_picture(ref) as stream:
        return decode_picture(stream, ref.name, size=size, fit=fit)


def decode_picture(stream: BinaryIO, name: str, *, size: int | None = None, fit: Fit = "crop") -> Pixels:
    """As :func:`read_picture`, of a stream of bytes; ``name`` is what a message calls the picture."""
    try:
        with _header(stream, name) as image:
            return _decoded(image, name, size, fit)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # on broken data Pillow raises errors of many kinds
        raise DataError(f"{name}: the picture is broken or cut off: {error}") from error


def _header(stream: BinaryIO, name: str) -> Image.Image:
    """The picture with nothing but its header read; enormous ones end here, before any memory is taken."""
    try:
        # Filters of warnings are shared by all threads, so one at a time.
        with _opening, warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(stream, formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise DataError(f"{name}: {_too_large()}") from None
    except UnidentifiedImageError:
        stream.seek(0)
        what = "no picture of a known format, or its header is broken" if stream.read(1) else "the file is empty"
        raise DataError(f"{name}: {what}; expected {', '.join(FORMATS)}") from None
    width, height = image.size
    if width * height > MAX_PIXELS:
        raise DataError(f"{name}: {width:,}×{height:,} pixels, {_too_large()}")
    return image


def _too_large() -> str:
    return f"a picture may have {MAX_PIXELS:,} pixels at most; make it smaller first"


def _decoded(image: Image.Image, name: str, size: int | None, fit: Fit) -> Pixels:
    drafted = None if size is None else image.draft(None, (BETWEEN * size, BETWEEN * size))
    image.load()
    coloured = _rgb(image, name)
    if size is not None:
        # Eighths of a pixel count: the draft of 751 columns at a quarter is 187.75 wide.
        width, height = image.size if drafted is None else drafted[1][2:]
        box = _middle(width, height) if fit == "crop" else (0, 0, width, height)
        coloured = coloured.resize((size, size), Image.Resampling.BICUBIC, box=box)
    # Turning the small picture gives the same as turning the large one: the middle stays the middle.
    turn = TURNS.get(image.getexif().get(ORIENTATION, 1))
    return np.array(coloured if turn is None else coloured.transpose(turn))


def _middle(width: float, height: float) -> tuple[float, float, float, float]:
    side = min(width, height)
    left, top = (width - side) / 2, (height - side) / 2
    return left, top, left + side, top + side


def _rgb(image: Image.Image, name: str) -> Image.Image:
    if image.mode in SIXTEEN_BIT:
        return _eight_bit(image, name).convert("RGB")
    if image.mode == "F":
        raise DataError(f"{name}: a picture of fractions does not say what is white; save it with 8 or 16 bits")
    if image.has_transparency_data:
        on_top = image.convert("RGBA")
        paper = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(paper, on_top).convert("RGB")
    return image.convert("RGB")


def _eight_bit(image: Image.Image, name: str) -> Image.Image:
    """round(v · 255 / 65535); Pillow itself would make everything above 255 white."""
    values = np.asarray(image).astype(np.int64)
    if values.min() < 0 or values.max() > 65535:
        raise DataError(f"{name}: a picture of 32-bit numbers does not say what is white; save it with 8 or 16 bits")
    return Image.fromarray(((values + 128) // 257).astype(np.uint8))
