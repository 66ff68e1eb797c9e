"""Pictures with classes, from folders, Parquet and tables."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from saccade.data.examples import Pictured, PictureRef
from saccade.data.images.reading import read_picture
from saccade.data.sources import found_labels, read_pictured
from saccade.errors import DataError
from sources.picture_files import picture_bytes, put

Write = Callable[[str, str | bytes], Path]


def refused(spec: str, **options: object) -> str:
    with pytest.raises(DataError) as caught:
        list(read_pictured(spec, **options))
    return str(caught.value)


def listed(spec: str, **options: object) -> list[tuple[str, str | None]]:
    return [(one.picture.name, one.label) for one in read_pictured(spec, **options)]


def test_a_folder_for_every_class(write: Write, folder: Path) -> None:
    put(folder / "pets", "dog/2.JPG", "dog/10.png", "cat/b.webp", "cat/more/a.png", "cat/.hidden.png", ".git/x.png")
    write("pets/cat/notes.txt", "not a picture")
    write("pets/README.md", "neither")
    assert list(read_pictured("pets")) == [
        Pictured(PictureRef(Path(name), name), label, name)
        for name, label in [
            ("pets/cat/b.webp", "cat"),
            ("pets/cat/more/a.png", "cat"),
            ("pets/dog/10.png", "dog"),
            ("pets/dog/2.JPG", "dog"),
        ]
    ]
    assert found_labels(read_pictured("pets"), "pets").names == ("cat", "dog")


@pytest.mark.parametrize("valid", ["valid", "val", "validation", "dev"])
def test_folders_for_splits(valid: str, folder: Path) -> None:
    put(folder / "pets", "train/cat/1.png", f"{valid}/cat/2.png", "test/3.png", "extra/4.png")
    assert listed("pets") == [("pets/train/cat/1.png", "cat")]
    assert listed("pets", split="valid") == [(f"pets/{valid}/cat/2.png", "cat")]
    assert listed("pets", split="test") == [("pets/test/3.png", None)]
    assert listed("train", base=folder / "pets") == [("train/cat/1.png", "cat")]


def test_a_class_named_train(folder: Path) -> None:
    put(folder / "things", "train/1.png", "car/2.png")
    assert listed("things") == [("things/car/2.png", "car"), ("things/train/1.png", "train")]


def test_bad_folders(folder: Path) -> None:
    put(folder, "pets/train/cat/1.png", "flat/1.png")
    (folder / "pets/train/dog").mkdir()
    assert refused("pets", split="valid") == (
        "pets: no folder for valid: looked for valid or val or validation or dev (there are: train)"
    )
    assert refused("pets").startswith("pets/train/dog: no picture of this class: put some there or delete the folder;")
    assert refused("flat") == (
        "flat: no folders in it: expected a subfolder for every class, as in pets/cat/1.jpg or pets/train/cat/1.jpg; "
        "only a test set may be without classes"
    )
    (folder / "none").mkdir()
    assert refused("none", split="test") == "none: no pictures found"


def parquet(folder: Path, name: str = "a.parquet", *, features: object = None, **columns: object) -> None:
    table = pa.table(columns)
    if features is not None:
        table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    pq.write_table(table, folder / name)


def test_parquet_without_names(folder: Path) -> None:
    parquet(folder, img=[{"bytes": picture_bytes(shade), "path": None} for shade in (4, 5)], label=[1, 0])
    found = list(read_pictured("a.parquet"))
    assert found[0] == Pictured(PictureRef(Path("a.parquet"), "a.parquet:1", 0, "img"), "1", "a.parquet:1")
    assert [read_picture(one.picture)[0, 0, 0] for one in found] == [4, 5]


def test_names_of_classes(write: Write, folder: Path) -> None:
    names = {"label": {"names": ["no", "yes"], "_type": "ClassLabel"}}
    parquet(folder, features=names, image=[b"x", b"x"], label=[1, 0])
    assert [one.label for one in read_pictured("a.parquet")] == ["yes", "no"]
    write("classes.json", '["cat", "dog"]')
    assert [one.label for one in read_pictured("a.parquet")] == ["dog", "cat"]


@pytest.mark.parametrize("features", [{"label": {"dtype": "int64"}}, {}, [], {"label": {"names": [1]}}])
def test_other_descriptions_of_columns(features: object, folder: Path) -> None:
    parquet(folder, features=features, image=[b"x"], label=[3])
    assert next(read_pictured("a.parquet")).label == "3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "classes.json: cannot be read as JSON: "),
        ('{"a": 1}', 'classes.json: expected a list of the names of the classes, as in ["cat", "dog"]'),
        ("[]", 'classes.json: expected a list of the names of the classes, as in ["cat", "dog"]'),
        ('["cat"]', "a.parquet:2: class 1, but there are names for 0 to 0 only"),
    ],
)
def test_bad_names(text: str, message: str, write: Write, folder: Path) -> None:
    parquet(folder, image=[b"x", b"x"], label=[0, 1])
    write("classes.json", text)
    assert refused("a.parquet").startswith(message)


def test_only_the_test_split_may_lack_labels(folder: Path) -> None:
    parquet(folder, image=[b"x", b"x"], label=[-1, None])
    assert [one.label for one in read_pictured("a.parquet", split="test")] == [None, None]
    assert refused("a.parquet") == "a.parquet:1: the label is empty: expected a class; only a test set may be without"
    parquet(folder, "b.parquet", image=[b"x", b"x"])
    assert listed("b.parquet", split="test") == [("b.parquet:1", None), ("b.parquet:2", None)]
    assert refused("b.parquet").startswith("b.parquet: no column such as label, labels or class (there are: image); na")


def test_a_folder_of_parquet_files(folder: Path) -> None:
    (folder / "set").mkdir()
    for split in ("train", "test"):
        parquet(folder, f"set/{split}.parquet", img=[b"x"], label=[split])
    assert listed("set") == [("set/train.parquet:1", "train")]
    assert listed("set", split="test") == [("set/test.parquet:1", "test")]
    assert refused("set", split="valid") == (
        "set: no file for valid: looked for valid.parquet or val.parquet or validation.parquet or dev.parquet "
        "(there are: train.parquet, test.parquet)"
    )


def test_tables(write: Write, folder: Path) -> None:
    put(folder / "deep", "a.png")
    write("deep/a.csv", "image,kind\na.png,cat\n")
    write("deep/b.jsonl", '{"image": "a.png", "label": true}\n')
    assert listed("deep/a.csv:{image,kind}") == [("deep/a.png", "cat")]
    assert listed("deep/b.jsonl") == [("deep/a.png", "true")]
    write("deep/c.csv", "image,label\na.png,cat\nb.png,dog\n")
    assert refused("deep/c.csv") == "deep/c.csv: 1 of 2 pictures are not there: deep/b.png"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gone.parquet", "gone.parquet: no such file"),
        ("gone", "gone: unknown kind of file (its name has no ending) for pictures with classes; known: a folder with"),
        ("a.{x,y}", "a.{x,y}: pictures with classes come from one file or folder; known: a folder with a subfolder"),
        ("cifar:x", 'cifar:x: unknown scheme "cifar"; known: a folder with a subfolder for every class'),
    ],
)
def test_what_is_no_source(spec: str, message: str) -> None:
    assert refused(spec).startswith(message)


def test_a_scheme_of_ones_own() -> None:
    example = Pictured(PictureRef(Path("a"), "a"), "x")
    assert list(read_pictured("mine:x", schemes={"mine": lambda rest, split: iter([example])})) == [example]


def test_broken_parquet(write: Write) -> None:
    write("a.parquet", "something else entirely")
    assert refused("a.parquet").startswith("a.parquet: broken Parquet: ")
