"""Small pictures for tests of sources."""

import io
from pathlib import Path

from PIL import Image


def picture_bytes(shade: int = 0) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (2, 2), (shade, 0, 0)).save(stream, "PNG")
    return stream.getvalue()


def put(folder: Path, *names: str) -> None:
    """Pictures of those names, the first of shade 0, the second of shade 1 and so on."""
    for shade, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture_bytes(shade))
