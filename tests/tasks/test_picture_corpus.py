"""Pictures made ready once: labels, what is held out, how they are seen, and what is wrong with them."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from saccade.data.images.reading import read_picture
from saccade.data.images.tensors import IMAGENET, measured_channels
from saccade.data.sources import PictureColumns, read_pictured
from saccade.errors import DataError, RunError
from saccade.tasks.picture_corpus import open_picture_corpus
from saccade.tasks.sight import Sight
from tasks.pictures import draw_folder, prepared


def test_a_folder_of_classes(tmp_path: Path) -> None:
    spec = draw_folder(tmp_path / "pets", 20)
    corpus, said = prepared(tmp_path / "run", train=(spec,))
    assert corpus.sight.labels == ("blue", "green", "red")
    assert json.loads((tmp_path / "run" / "labels.json").read_text()) == ["blue", "green", "red"]
    assert len(corpus.train) + len(corpus.valid) == 60
    assert 0 < len(corpus.valid) < 30
    assert said[0] == "labels: blue, green, red"
    assert said[-2] == f"train: {len(corpus.train)} pictures of 8 × 8 pixels"
    assert said[-1] == f"valid: {len(corpus.valid)} pictures held out of train (20%)"
    expected = {one.picture.name: one for one in read_pictured(spec)}
    for side in (corpus.train, corpus.valid):
        for number, name in enumerate(side.names):
            assert corpus.sight.labels[side.labels_N[number]] == expected[name].label
            assert np.array_equal(side.pictures[number], read_picture(expected[name].picture, size=8))
    assert set(corpus.train.names) | set(corpus.valid.names) == set(expected)


def test_colours_are_scaled_by_the_training_pictures(tmp_path: Path) -> None:
    spec = draw_folder(tmp_path / "pets", 10)
    corpus, _ = prepared(tmp_path / "run", train=(spec,))
    store = corpus.train.pictures
    assert corpus.sight.channels == measured_channels(store[number] for number in range(len(store)))
    given = Sight(224, "squash", IMAGENET, ("cat",))
    begun, _ = prepared(tmp_path / "begun", train=(spec,), given=given)
    assert begun.sight == Sight(8, "crop", IMAGENET, ("blue", "green", "red"))


def test_what_is_held_out_depends_on_the_picture_alone(tmp_path: Path) -> None:
    """Neither on its name nor on its place: the same picture twice is never on both sides."""
    first = Path(draw_folder(tmp_path / "a", 20))
    second = tmp_path / "b" / "elsewhere"
    shutil.copytree(first, second)
    for path in [*second.rglob("*.png")]:
        path.rename(path.with_name(f"renamed-{path.name}"))
        shutil.copyfile(path.with_name(f"renamed-{path.name}"), path)
    one, _ = prepared(tmp_path / "one", train=(str(first),))
    two, _ = prepared(tmp_path / "two", train=(str(second),))
    held = {(Path(name).parent.name, Path(name).name) for name in one.valid.names}
    again = [(Path(name).parent.name, Path(name).name.removeprefix("renamed-")) for name in two.valid.names]
    assert set(again) == held
    assert len(again) == 2 * len(held)


def test_pictures_to_validate_on_of_their_own(tmp_path: Path) -> None:
    train, valid = draw_folder(tmp_path / "train", 5), draw_folder(tmp_path / "valid", 2, seed=2)
    corpus, said = prepared(tmp_path / "run", train=(train,), valid=(valid,))
    assert (len(corpus.train), len(corpus.valid)) == (15, 6)
    assert said[-1] == "valid: 6 pictures"


def test_columns_of_a_table(tmp_path: Path) -> None:
    draw_folder(tmp_path, 3)
    rows = "".join(f"{n % 3},{name}/{n}.png,{name}\n" for name in ("red", "blue") for n in range(3))
    (tmp_path / "list.csv").write_text("text,photo,kind\n" + rows)
    columns = PictureColumns("photo", "kind")
    corpus, _ = prepared(tmp_path / "run", train=(str(tmp_path / "list.csv"),), columns=columns, holdout=0.4)
    assert corpus.sight.labels == ("blue", "red")
    assert len(corpus.train) + len(corpus.valid) == 6


def test_it_is_made_once(tmp_path: Path) -> None:
    spec = draw_folder(tmp_path / "pets", 10)
    prepared(tmp_path / "run", train=(spec,))
    shutil.rmtree(spec)
    _, said = prepared(tmp_path / "run", train=(spec,))
    assert said == []


def test_a_broken_picture_is_named_and_nothing_half_made_is_left(tmp_path: Path) -> None:
    spec = draw_folder(tmp_path / "pets", 10)
    broken = tmp_path / "pets" / "green" / "3.png"
    whole = broken.read_bytes()
    broken.write_bytes(whole[:60])
    with pytest.raises(DataError, match=r"pets/green/3.png: the picture is broken or cut off"):
        prepared(tmp_path / "run", train=(spec,))
    assert [path.name for path in (tmp_path / "run" / "data").iterdir()] == []
    broken.write_bytes(whole)
    corpus, _ = prepared(tmp_path / "run", train=(spec,))
    assert len(corpus.train) + len(corpus.valid) == 30


def test_a_quick_look_takes_some_of_every_class(tmp_path: Path) -> None:
    spec = draw_folder(tmp_path / "pets", 10)
    corpus, said = prepared(tmp_path / "run", train=(spec,), first=12, valid=(spec,))
    assert len(corpus.train) == 12
    assert np.bincount(corpus.train.labels_N).tolist() == [4, 4, 4]
    assert said[1] == "train: only 12 of 30 pictures are looked at"


def test_labels_that_cannot_be_learned(tmp_path: Path) -> None:
    one = draw_folder(tmp_path / "one", 3, colours={"red": (200, 0, 0)})
    with pytest.raises(DataError, match='all of 3 examples have the label "red": a classifier needs two classes'):
        prepared(tmp_path / "run", train=(one,))
    train = draw_folder(tmp_path / "train", 3)
    pink = draw_folder(tmp_path / "pink", 1, colours={"pink": (250, 150, 150)})
    with pytest.raises(DataError, match=r'unknown label "pink".*; the known ones are blue, green, red'):
        prepared(tmp_path / "run", train=(train,), valid=(pink,))


def test_too_few_to_hold_some_out(tmp_path: Path) -> None:
    spec = draw_folder(tmp_path / "pets", 1)
    with pytest.raises(DataError, match=r"no picture is left to validate on: give more of them, raise data.holdout"):
        prepared(tmp_path / "run", train=(spec,), holdout=0.001)
    with pytest.raises(DataError, match=r"no picture is left to train"):
        prepared(tmp_path / "run", train=(spec,), holdout=0.9999)


@pytest.mark.parametrize("name", ["data/train.pixels", "data/valid.jsonl", "pictures.json"])
def test_what_was_changed_afterwards_is_noticed(tmp_path: Path, name: str) -> None:
    prepared(tmp_path / "run", train=(draw_folder(tmp_path / "pets", 10),))
    path = tmp_path / "run" / name
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    with pytest.raises((DataError, RunError), match=rf"{Path(name).stem}.* (changed|damaged)"):
        open_picture_corpus(tmp_path / "run" / "data", tmp_path / "run")
