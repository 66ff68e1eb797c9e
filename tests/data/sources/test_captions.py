"""Captioned pictures from every kind of source; no picture is decoded while they are listed."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade.data.examples import Captioned, PictureRef
from saccade.data.images.reading import read_picture
from saccade.data.sources import PictureColumns, read_captioned
from saccade.errors import DataError
from sources.picture_files import picture_bytes, put

Write = Callable[[str, str | bytes], Path]


def refused(spec: str, **options: object) -> str:
    with pytest.raises(DataError) as caught:
        list(read_captioned(spec, **options))
    return str(caught.value)


TABLE = "image,caption\nphotos/a.png,a dog\nphotos/b.png,a cat\n\nphotos/a.png,a brown dog\n"
LINES = (
    '{"image": "photos/a.png", "caption": "a dog"}\n{"image": "photos/b.png", "caption": ["a cat"]}\n\n'
    '{"image": "photos/a.png", "caption": "a brown dog"}\n'
)


@pytest.mark.parametrize(
    ("name", "text", "first"),
    [
        ("deep/a.csv", TABLE, 2),
        ("deep/a.csv.gz", TABLE, 2),
        ("deep/a.tsv", TABLE.replace(",", "\t"), 2),
        ("deep/a.jsonl", LINES, 1),
        ("deep/a.jsonl.gz", LINES, 1),
    ],
)
def test_rows_of_one_picture_are_put_together(name: str, text: str, first: int, write: Write, folder: Path) -> None:
    write(name, text)
    put(folder / "deep/photos", "a.png", "b.png")
    found = list(read_captioned(name, base=folder))
    assert found == [
        Captioned(
            PictureRef(folder / "deep/photos/a.png", "deep/photos/a.png"), ("a dog", "a brown dog"), f"{name}:{first}"
        ),
        Captioned(PictureRef(folder / "deep/photos/b.png", "deep/photos/b.png"), ("a cat",), f"{name}:{first + 1}"),
    ]
    assert read_picture(found[1].picture)[0, 0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("header", ["file_name\ttext", "filename\tsentence", "img\tcaption", "path\tcaptions"])
def test_customary_columns(header: str, write: Write, folder: Path) -> None:
    write("a.tsv", f"{header}\na.png\ta dog\n")
    put(folder, "a.png")
    assert next(read_captioned("a.tsv")).captions == ("a dog",)


def test_named_columns(write: Write, folder: Path) -> None:
    write("a.csv", "photo_file,words,caption\na.png,a dog,no\n")
    put(folder, "a.png")
    assert next(read_captioned("a.csv:{photo_file,words}")).captions == ("a dog",)
    assert next(read_captioned("a.csv", columns=PictureColumns("photo_file", "words"))).captions == ("a dog",)


def test_the_first_object_settles_the_columns(write: Write, folder: Path) -> None:
    write("a.jsonl", '{"image": "a.png", "text": "a dog"}\n{"image": "a.png", "caption": "no", "text": "a hound"}\n')
    put(folder, "a.png")
    assert next(read_captioned("a.jsonl")).captions == ("a dog", "a hound")


def test_listing_decodes_no_picture(write: Write) -> None:
    write("a.csv", "image,caption\na.png,a dog\n")
    write("a.png", "no picture at all")
    (example,) = read_captioned("a.csv")
    with pytest.raises(DataError, match=r"^a.png: no picture of a known format"):
        read_picture(example.picture)


def parquet(folder: Path, name: str = "a.parquet", **columns: object) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), folder / name)


@pytest.mark.parametrize("kept", ["bytes", "struct"])
@pytest.mark.parametrize("captions", [["a dog", "a cat"], [["a dog", "a hound"], ["a cat"]]])
def test_parquet(kept: str, captions: list[str] | list[list[str]], folder: Path) -> None:
    pictures = [picture_bytes(7), picture_bytes(8)]
    column = pictures if kept == "bytes" else [{"bytes": data, "path": "x.png"} for data in pictures]
    parquet(folder, image=column, caption=captions)
    found = list(read_captioned("a.parquet"))
    assert [list(one.captions) for one in found] == [[c] if isinstance(c, str) else c for c in captions]
    assert found[1].picture == PictureRef(Path("a.parquet"), "a.parquet:2", 1, "image")
    assert [read_picture(one.picture)[0, 0, 0] for one in found] == [7, 8]


def test_rows_of_parquet_that_hold_the_same_picture_are_put_together(folder: Path) -> None:
    dog, cat = picture_bytes(7), picture_bytes(8)
    parquet(folder, image=[dog, cat, dog], caption=["a dog", "a cat", "a hound"])
    found = list(read_captioned("a.parquet"))
    assert [one.captions for one in found] == [("a dog", "a hound"), ("a cat",)]
    assert [one.picture.name for one in found] == ["a.parquet:1", "a.parquet:2"]
    assert [one.where for one in found] == ["a.parquet:1", "a.parquet:2"]


def test_parquet_with_paths(folder: Path) -> None:
    parquet(folder, image=["a.png", "a.png"], caption=["a dog", "a hound"])
    put(folder, "a.png")
    (found,) = read_captioned("a.parquet")
    assert found.captions == ("a dog", "a hound")
    assert found.picture.row is None


def test_a_folder_of_parquet_files(folder: Path) -> None:
    for name, caption in [("train-00000-of-00002", "one"), ("train-00001-of-00002", "two"), ("validation", "three")]:
        parquet(folder, f"set/{name}.parquet", image=[picture_bytes()], caption=[caption])
    assert [one.captions for one in read_captioned("set")] == [("one",), ("two",)]
    assert [one.captions for one in read_captioned("set", split="valid")] == [("three",)]
    assert refused("set", split="test").startswith("set: no file for test: looked for test.parquet (there are: train-")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"image": [1], "caption": ["a"]},
            'a.parquet: the column "image" is of the type int64: expected the bytes of pictures, a struct with '
            '"bytes", or the paths of pictures',
        ),
        ({"image": [b"x"], "caption": [None]}, 'a.parquet:1: "caption" is null, expected a text'),
        ({"image": [b"x"], "caption": [[]]}, "a.parquet:1: the caption is empty: expected a text; mend or delete"),
        (
            {"image": [b"x"], "words": ["a"]},
            "a.parquet: no column such as caption, captions, sentence, sentences or text (there are: image, words); "
            "name the two columns behind the file, as in a.parquet:{photo,caption}",
        ),
    ],
)
def test_bad_parquet(columns: dict[str, object], message: str, folder: Path) -> None:
    parquet(folder, **columns)
    assert refused("a.parquet").startswith(message)


def test_packed_parquet(write: Write, folder: Path) -> None:
    parquet(folder, image=[b"x"], caption=["a"])
    write("b.parquet.gz", (folder / "a.parquet").read_bytes())
    assert refused("b.parquet.gz").startswith("b.parquet.gz: pictures are fetched one by one, which a packed file forb")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "image,caption\na.png,\n", "a.csv:2: the caption is empty: expected a text; mend or delete the line"),
        ("a.csv", "image,caption\n ,a dog\n", 'a.csv:2: "image" is empty: expected the path of a picture'),
        ("a.csv", "image,caption\na.png\n", "a.csv:2: 1 column, expected 2"),
        ("a.csv", "image,image,caption\na,b,c\n", 'a.csv:2: the column "image" is there 2 times: give each its own'),
        ("a.csv", "image,caption\n", "a.csv: no captioned pictures found"),
        ("a.csv", "", "a.csv is empty: expected at least one line"),
        ("a.jsonl", '{"image": 3, "caption": "a"}\n', 'a.jsonl:1: "image" is int 3, expected a text'),
        ("a.jsonl", '{"image": "a.png", "caption": [3]}\n', 'a.jsonl:1: "caption" is int 3, expected a text'),
        ("a.tsv", "photo_id\tcaption\nx\ty\n", "a.tsv:2: no column such as image, img, picture, photo, file_name,"),
        (
            "a.txt",
            "x",
            'a.txt: unknown kind of file ".txt" for captioned pictures; known: .csv, .jsonl, .parquet',
        ),
    ],
)
def test_bad_files(name: str, text: str, message: str, write: Write) -> None:
    write(name, text)
    assert refused(name).startswith(message)


def test_a_column_that_is_not_there(write: Write) -> None:
    write("a.csv", "image,captoin\na.png,x\n")
    assert refused("a.csv:{image,caption}").startswith(
        'a.csv:2: no column or key "caption" (did you mean captoin?) (there are: image, captoin); name the two columns'
    )
    with pytest.raises(DataError, match='the column "x" is asked for twice'):
        PictureColumns("x", "x")


def test_missing_pictures_are_named_and_counted(write: Write, folder: Path) -> None:
    write("deep/a.csv", "image,caption\n" + "".join(f"{n}.png,a dog\n" for n in range(6)))
    put(folder / "deep", "2.png")
    assert refused("deep/a.csv") == (
        "deep/a.csv: 5 of 6 pictures are not there: deep/0.png, deep/1.png, deep/3.png and 2 more"
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gone.csv", "gone.csv: no such file"),
        ("a.{en,de}", "a.{en,de}: captioned pictures come from one file or folder; known: .csv"),
        ("flickr:x", 'flickr:x: unknown scheme "flickr" (did you mean flickr8k?); known: .csv'),
        ("flickr8k:gone", "flickr8k:gone: expected flickr8k:FOLDER with the folder that holds Flickr8k.token.txt"),
        ("coco:a.json", "coco:a.json: expected coco:ANNOTATIONS.json:FOLDER, as in coco:annotations/captions_val2017"),
        ("empty", "empty: this folder holds nothing that is known for captioned pictures; known: .csv"),
    ],
)
def test_what_is_no_source(spec: str, message: str, folder: Path) -> None:
    (folder / "empty").mkdir()
    assert refused(spec).startswith(message)


def test_a_scheme_of_ones_own() -> None:
    example = Captioned(PictureRef(Path("a"), "a"), ("one",))
    assert list(read_captioned("mine:x", schemes={"mine": lambda rest, split: iter([example])})) == [example]


@pytest.fixture
def flickr(write: Write, folder: Path) -> Callable[[], None]:
    write("f/Flickr8k.token.txt", "a.jpg#0\tA dog .\nb.jpg#0\tA cat .\na.jpg#1\tA brown dog .\nc.jpg#0\tA cow .\n")
    write("f/Flickr_8k.trainImages.txt", "b.jpg\na.jpg\n")
    write("f/Flickr_8k.devImages.txt", "c.jpg\n")
    write("f/Flickr_8k.testImages.txt", "d.jpg\n")
    return lambda inside="images": put(folder / "f" / inside, "a.jpg", "b.jpg", "c.jpg")


@pytest.mark.parametrize("inside", ["images", "Flicker8k_Dataset"])
def test_flickr8k(flickr: Callable[..., None], inside: str) -> None:
    flickr(inside)
    found = list(read_captioned("flickr8k:f"))
    assert [one.picture.name for one in found] == [f"f/{inside}/b.jpg", f"f/{inside}/a.jpg"]
    assert found[1].captions == ("A dog .", "A brown dog .")
    assert found[1].where == "f/Flickr8k.token.txt:1"
    assert [one.captions for one in read_captioned("flickr8k:f", split="valid")] == [("A cow .",)]


def test_flickr8k_as_it_is_unpacked(flickr: Callable[..., None], folder: Path) -> None:
    flickr()
    (folder / "f/Flickr8k_text").mkdir()
    for path in (folder / "f").glob("*.txt"):
        path.rename(folder / "f/Flickr8k_text" / path.name)
    assert len(list(read_captioned("flickr8k:f"))) == 2


def test_bad_flickr8k(flickr: Callable[..., None], write: Write, folder: Path) -> None:
    assert refused("flickr8k:f").startswith("flickr8k:f: no folder with pictures: looked for f/images, f/Images, ")
    flickr()
    assert refused("flickr8k:f", split="test") == (
        "f/Flickr8k.token.txt: 1 of 1 pictures for test have no caption: d.jpg"
    )
    (folder / "f/images/a.jpg").unlink()
    assert refused("flickr8k:f") == "flickr8k:f: 1 of 2 pictures are not there: f/images/a.jpg"
    write("f/Flickr8k.token.txt", "a.jpg\tA dog .\n")
    assert refused("flickr8k:f") == (
        "f/Flickr8k.token.txt:1: expected NAME.jpg#0, a tab and a caption, found: a.jpg\tA dog ."
    )
    (folder / "f/Flickr8k.token.txt").unlink()
    assert refused("flickr8k:f").startswith("f/Flickr8k.token.txt: no such file")


COCO = {
    "images": [{"id": 7, "file_name": "a.png"}, {"id": 3, "file_name": "b.png"}],
    "annotations": [
        {"id": 1, "image_id": 3, "caption": "A cat.\n"},
        {"id": 2, "image_id": 7, "caption": "A dog."},
        {"id": 3, "image_id": 3, "caption": "A grey cat."},
    ],
}


@pytest.mark.parametrize("name", ["deep/captions.json", "deep/captions.json.gz"])
def test_coco(name: str, write: Write, folder: Path) -> None:
    write(name, json.dumps(COCO))
    put(folder / "photos", "a.png", "b.png")
    assert list(read_captioned(f"coco:{name}:photos")) == [
        Captioned(PictureRef(Path("photos/a.png"), "photos/a.png"), ("A dog.",), f"{name}:image 7"),
        Captioned(PictureRef(Path("photos/b.png"), "photos/b.png"), ("A cat.", "A grey cat."), f"{name}:image 3"),
    ]


def annotated(**fields: object) -> dict[str, object]:
    return {**COCO, "annotations": [{"image_id": 3, "caption": "A cat.", **fields}]}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], 'a.json: expected an object with the lists "images" and "annotations", as COCO has them'),
        ({"images": []}, 'a.json: expected an object with the lists "images" and "annotations", as COCO has them'),
        (annotated(), "a.json: 1 of 2 pictures have no caption: a.png"),
        (annotated(caption=" "), 'a.json:annotations[0]: "caption" is empty: expected a text; mend or delete the anno'),
        (annotated(image_id=9), 'a.json:annotations[0]: there is no picture with the id 9 in "images"'),
        (annotated(image_id="x"), 'a.json:annotations[0]: expected an object with the number "image_id"'),
        (
            {**COCO, "annotations": [{"image_id": 3, "bbox": [1]}]},
            "a.json:annotations[0]: has no caption: is it",
        ),
        ({**COCO, "images": [{"id": 3}]}, 'a.json:images[0]: "file_name" is null, expected a text'),
        ({**COCO, "images": [COCO["images"][0]] * 2}, "a.json:images[1]: the id 7 is there twice"),
        (COCO, "coco:a.json:photos: 2 of 2 pictures are not there: photos/a.png, photos/b.png"),
    ],
)
def test_bad_coco(document: object, message: str, write: Write, folder: Path) -> None:
    write("a.json", json.dumps(document))
    (folder / "photos").mkdir()
    assert refused("coco:a.json:photos").startswith(message)


def test_coco_that_is_no_json_or_has_no_folder(write: Write, folder: Path) -> None:
    write("a.json", "{")
    assert refused("coco:a.json:photos").startswith("coco:a.json:photos: there is no folder photos; expected coco:")
    (folder / "photos").mkdir()
    assert refused("coco:a.json:photos").startswith("a.json: broken JSON: ")
