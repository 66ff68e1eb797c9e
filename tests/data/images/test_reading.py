"""Pictures of every format, mode and orientation become red, green and blue; broken and enormous ones are named."""

import io
import sys
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from saccade.data.examples import PictureRef
from saccade.data.images.reading import MAX_PIXELS, ORIENTATION, Pixels, decode_picture, read_picture
from saccade.errors import DataError

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def quarters() -> Image.Image:
    """Red and green above, blue and white below: no turn leaves it as it is."""
    colours = np.array([[RED, GREEN], [BLUE, WHITE]], dtype=np.uint8)
    return Image.fromarray(colours.repeat(16, axis=0).repeat(24, axis=1))


def smooth(width: int, height: int) -> Image.Image:
    """Slow waves, which resampling should leave as they are."""
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    waves = [np.sin(6 * x), np.cos(5 * y), np.sin(4 * (x + y))]
    return Image.fromarray((127 + 120 * np.stack(waves, axis=-1)).astype(np.uint8))


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def decoded(data: bytes, **options: Any) -> Pixels:
    return decode_picture(io.BytesIO(data), "a.jpg", **options)


def refusal(data: bytes) -> str:
    with pytest.raises(DataError) as caught:
        decoded(data)
    return str(caught.value)


def corners(pixels: Pixels) -> list[tuple[int, ...]]:
    height, width, _ = pixels.shape
    return [tuple(pixels[y, x].tolist()) for y in (4, height - 5) for x in (4, width - 5)]


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "PPM", "WEBP", "GIF"])
def test_every_format_without_loss(kind: str) -> None:
    options = {"lossless": True} if kind == "WEBP" else {}
    pixels = decoded(encoded(quarters(), kind, **options))
    assert pixels.dtype == np.uint8
    assert pixels.shape == (32, 48, 3)
    assert pixels.flags.writeable
    np.testing.assert_array_equal(pixels, np.asarray(quarters()))


def test_jpeg() -> None:
    pixels = decoded(encoded(smooth(40, 30), "JPEG", quality=95, subsampling=0))
    assert np.abs(pixels.astype(int) - np.asarray(smooth(40, 30))).max() < 12


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "YCbCr"])
def test_every_mode(mode: str) -> None:
    image = quarters().convert(mode)
    found = decoded(encoded(image, "TIFF")).astype(int)
    assert np.abs(found - np.asarray(image.convert("RGB"))).max() <= 2


def test_sixteen_bits_are_scaled() -> None:
    values = np.array([[0, 128, 129, 32768], [256, 65278, 65407, 65535]], dtype=np.uint16)
    expected = np.rint(values / 257).astype(np.uint8)
    for kind in ("PNG", "TIFF"):
        found = decoded(encoded(Image.fromarray(values), kind))
        np.testing.assert_array_equal(found, np.stack([expected] * 3, axis=-1))
    as_32 = decoded(encoded(Image.fromarray(values.astype(np.int32)), "TIFF"))
    np.testing.assert_array_equal(as_32[..., 1], expected)


def test_numbers_without_a_known_white() -> None:
    assert refusal(encoded(Image.fromarray(np.ones((4, 4), np.float32)), "TIFF")) == (
        "a.jpg: a picture of fractions does not say what is white; save it with 8 or 16 bits"
    )
    assert refusal(encoded(Image.fromarray(np.full((4, 4), 70_000, np.int32)), "TIFF")) == (
        "a.jpg: a picture of 32-bit numbers does not say what is white; save it with 8 or 16 bits"
    )


def test_what_is_transparent_lies_on_white() -> None:
    image = Image.new("RGBA", (2, 1), (255, 0, 0, 0))
    image.putpixel((1, 0), (0, 0, 0, 51))  # a fifth of black
    assert decoded(encoded(image, "PNG")).tolist() == [[[255, 255, 255], [204, 204, 204]]]


@pytest.mark.parametrize(("mode", "colour"), [("L", 0), ("RGB", (0, 0, 0)), ("P", 0), ("1", 0)])
def test_a_transparent_colour(mode: str, colour: Any) -> None:
    assert decoded(encoded(Image.new(mode, (1, 1), 0), "PNG", transparency=colour)).tolist() == [[[255, 255, 255]]]
    assert decoded(encoded(Image.new(mode, (1, 1), 0), "PNG")).tolist() == [[[0, 0, 0]]]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    data = encoded(quarters(), kind, exif=exif, **({"quality": 95} if kind == "JPEG" else {}))
    with Image.open(io.BytesIO(data)) as image:
        peer = np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    assert peer.shape == ((32, 48, 3) if orientation < 5 else (48, 32, 3))
    np.testing.assert_array_equal(decoded(data), peer)
    for fit in ("crop", "squash"):
        small = decoded(data, size=16, fit=fit)
        near = np.abs(np.array(corners(small)).astype(int) - np.array(corners(peer)).astype(int))
        assert near.max() < 40


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
def test_turning_after_resampling_is_turning_before(orientation: int) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    turned = encoded(smooth(61, 40), "PNG", exif=exif)
    with Image.open(io.BytesIO(turned)) as image:
        upright = encoded(ImageOps.exif_transpose(image), "PNG")
    for fit in ("crop", "squash"):
        difference = decoded(turned, size=20, fit=fit).astype(int) - decoded(upright, size=20, fit=fit)
        assert np.abs(difference).max() <= 1  # Pillow rounds between the two directions


def test_crop_takes_the_middle_and_squash_all() -> None:
    image = Image.new("RGB", (60, 20), RED)
    image.paste(GREEN, (20, 0, 40, 20))
    data = encoded(image, "PNG")
    assert (decoded(data, size=10)[:, 2:-2] == GREEN).all()  # at the border a filter looks beyond it
    squashed = decoded(data, size=12, fit="squash")
    assert squashed.shape == (12, 12, 3)
    assert [tuple(squashed[6, x].tolist()) for x in (1, 6, 10)] == [RED, GREEN, RED]
    tall = encoded(image.transpose(Image.Transpose.ROTATE_90), "PNG")
    assert (decoded(tall, size=10)[2:-2] == GREEN).all()


def test_small_pictures_grow() -> None:
    assert decoded(encoded(Image.new("RGB", (1, 3), BLUE), "PNG"), size=8).tolist() == [[[0, 0, 255]] * 8] * 8


def test_resampling_leaves_no_aliases() -> None:
    """Stripes finer than the new pixels become their mean."""
    stripes = np.zeros((256, 256, 3), np.uint8)
    stripes[:, ::2] = 255
    small = decoded(encoded(Image.fromarray(stripes), "PNG"), size=32)
    assert np.abs(small[:, 4:-4].astype(int) - 127).max() <= 8


@pytest.mark.parametrize("fit", ["crop", "squash"])
@pytest.mark.parametrize(("width", "height"), [(751, 501), (503, 997)])
def test_a_jpeg_decoded_smaller_looks_the_same(fit: str, width: int, height: int) -> None:
    """The quick way for JPEG differs from the long way by no more than the resampling."""
    data = encoded(smooth(width, height), "JPEG", quality=95)
    with Image.open(io.BytesIO(data)) as image:
        assert image.draft(None, (128, 128)) is not None
        assert image.size < (width, height)
        as_png = encoded(Image.open(io.BytesIO(data)), "PNG")
    difference = np.abs(decoded(data, size=64, fit=fit).astype(int) - decoded(as_png, size=64, fit=fit))
    assert difference.mean() < 0.6
    assert difference.max() <= 6


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_the_first_frame_of_an_animated_picture(kind: str) -> None:
    options = {"lossless": True} if kind == "WEBP" else {}
    later = [Image.new("RGB", (4, 4), BLUE)]
    data = encoded(Image.new("RGB", (4, 4), RED), kind, save_all=True, append_images=later, **options)
    with Image.open(io.BytesIO(data)) as image:
        assert image.n_frames == 2
    assert (decoded(data) == RED).all()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
def test_cut_off(kind: str) -> None:
    data = encoded(smooth(120, 90), kind)
    assert "a.jpg: " in refusal(data[: len(data) // 2])


def test_cut_off_says_so() -> None:
    data = encoded(smooth(120, 90), "JPEG")
    assert refusal(data[: len(data) // 2]).startswith("a.jpg: the picture is broken or cut off: image file is trunc")


@pytest.mark.parametrize("data", [b"no picture", b"%!PS-Adobe-3.0 EPSF-3.0\n", b"\x89PNG\r\n\x1a\n"])
def test_no_picture(data: bytes) -> None:
    assert refusal(data).startswith("a.jpg: ")


def test_unknown_formats() -> None:
    known = "expected JPEG, PNG, WEBP, GIF, BMP, TIFF, PPM"
    assert refusal(b"no picture") == f"a.jpg: no picture of a known format, or its header is broken; {known}"
    assert (
        refusal(encoded(quarters(), "ICO")) == f"a.jpg: no picture of a known format, or its header is broken; {known}"
    )
    assert refusal(b"") == f"a.jpg: the file is empty; {known}"


def png_of(width: int, height: int) -> bytes:
    """A PNG that says it is that large, with hardly any data behind it."""
    data = bytearray(encoded(Image.new("1", (1, 1)), "PNG"))
    data[16:24] = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    return bytes(data)


def test_enormous_pictures_are_refused_before_they_are_decoded() -> None:
    told = f"a picture may have {MAX_PIXELS:,} pixels at most; make it smaller first"
    assert refusal(png_of(MAX_PIXELS // 1000 + 1, 1000)) == f"a.jpg: 80,001×1,000 pixels, {told}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for side in (10_000, 2_000_000_000):  # where Pillow warns, and where it refuses
            assert refusal(png_of(side, side)) == f"a.jpg: {told}"
    assert "broken or cut off" in refusal(png_of(1000, MAX_PIXELS // 1000))


def test_nothing_to_see() -> None:
    data = bytearray(encoded(quarters(), "BMP"))
    data[18:22] = bytes(4)
    assert refusal(bytes(data)).startswith("a.jpg: no picture of a known format, or its header is broken")


@pytest.mark.property
@given(st.data())
@settings(max_examples=60)
def test_damaged_pictures_are_read_or_refused(data: st.DataObject) -> None:
    """Whatever bytes are changed, there is a picture or a DataError, nothing else."""
    kind = data.draw(st.sampled_from(["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM"]))
    whole = bytearray(encoded(quarters(), kind))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            shape, told = decoded(bytes(whole), size=8).shape, "a.jpg: "
        except DataError as error:
            shape, told = (8, 8, 3), str(error)
    assert shape == (8, 8, 3)
    assert told.startswith("a.jpg: ")


def test_from_a_file(tmp_path: Path) -> None:
    quarters().save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_picture(PictureRef(tmp_path / "a.png", "a.png")), np.asarray(quarters()))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^photos/a.png: the picture cannot be read: No such file or directory$"):
        read_picture(PictureRef(tmp_path / "a.png", "photos/a.png"))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Seven pictures, one colour each, in row groups of three, as bytes and as Hugging Face keeps them."""
    pictures = [encoded(Image.new("RGB", (2, 2), (n, 0, 0)), "PNG") for n in range(7)]
    table = {"plain": pictures, "kept": [{"bytes": data, "path": None} for data in pictures], "text": list("abcdefg")}
    pq.write_table(pa.table(table), tmp_path / "a.parquet", row_group_size=3)
    return tmp_path / "a.parquet"


@pytest.mark.parametrize("column", ["plain", "kept"])
def test_from_the_rows_of_a_parquet_file(rows: Path, column: str) -> None:
    for row in (0, 6, 2, 3, 5, 1, 4):
        assert read_picture(PictureRef(rows, f"a.parquet:{row + 1}", row, column))[0, 0].tolist() == [row, 0, 0]


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        (7, "plain", "a.parquet: there is no such row: the file has 7; was it written anew?"),
        (0, "text", 'a.parquet: "text" holds no bytes of a picture'),
        (0, "gone", "a.parquet: broken Parquet: "),
    ],
)
def test_rows_that_hold_no_picture(rows: Path, row: int, column: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read_picture(PictureRef(rows, "a.parquet", row, column))
    assert str(caught.value).startswith(message)


def test_a_row_without_bytes(tmp_path: Path) -> None:
    column = pa.array([{"bytes": None, "path": "a.jpg"}], pa.struct({"bytes": pa.binary(), "path": pa.string()}))
    pq.write_table(pa.table({"image": column}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r'a.parquet:1: "image" holds no bytes of a picture'):
        read_picture(PictureRef(tmp_path / "a.parquet", "a.parquet:1", 0, "image"))


def test_no_parquet(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"something else entirely")
    with pytest.raises(DataError, match=r"a.parquet:1: broken Parquet: "):
        read_picture(PictureRef(tmp_path / "a.parquet", "a.parquet:1", 0, "image"))


def test_without_pyarrow(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        DataError, match=r'a.parquet:1: reading Parquet needs pyarrow: pip install "saccade\[parquet\]"'
    ):
        read_picture(PictureRef(rows, "a.parquet:1", 0, "plain"))


def test_a_parquet_file_written_anew_is_read_anew(rows: Path) -> None:
    ref = PictureRef(rows, "a.parquet:1", 0, "plain")
    assert read_picture(ref)[0, 0].tolist() == [0, 0, 0]
    pq.write_table(pa.table({"plain": [encoded(Image.new("RGB", (2, 2), BLUE), "PNG")]}), rows)
    assert read_picture(ref)[0, 0].tolist() == [0, 0, 255]


def test_keys_are_of_the_place_not_of_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    relative, absolute = PictureRef(Path("a.jpg"), "a.jpg"), PictureRef(tmp_path / "a.jpg", "photos/a.jpg")
    assert relative.key == absolute.key
    keys = {PictureRef(Path("a.parquet"), "", row, column).key for row in (0, 1) for column in ("x", "y")}
    assert len({relative.key, *keys}) == 5
