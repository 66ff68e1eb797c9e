"""A picture inside a page, as a data address."""

import base64
import io

from PIL import Image

from saccade.view.captioned import Pixels, checked_pixels

_LARGEST = 480  # pixels: a page of many pictures stays small


def picture_address(pixels_YX3: Pixels) -> str:
    """PNG, exact and small for drawn scenes, or JPEG where that is much smaller."""
    image = Image.fromarray(checked_pixels(pixels_YX3))
    image.thumbnail((_LARGEST, _LARGEST))
    exact, small = io.BytesIO(), io.BytesIO()
    image.save(exact, format="PNG", optimize=True)
    image.save(small, format="JPEG", quality=88)
    kind, chosen = ("png", exact) if exact.tell() <= 2 * small.tell() else ("jpeg", small)
    return f"data:image/{kind};base64,{base64.b64encode(chosen.getvalue()).decode('ascii')}"
