"""What a frozen CNN sees is found once for each picture, whoever asks, and however often somebody is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from saccade.data.examples import Box, PictureRef
from saccade.data.images.reading import read_picture
from saccade.data.images.tensors import to_tensor
from saccade.errors import DataError
from saccade.tasks.features import BATCH, Eye, cache_place
from saccade.tasks.views import View
from tasks.captions import draw, small_eye

TESTS = Path(__file__).parents[1]
LEFT = (Box(0, 0, 0.5, 1),)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def views(files: tuple[Path, ...]) -> list[View]:
    return [View(PictureRef(file, file.name)) for file in files]


def silent(text: str) -> None:
    """Says nothing."""


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache_place() == tmp_path / "cache"
    monkeypatch.delenv("SACCADE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_place() == tmp_path / "xdg" / "saccade"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_place() == tmp_path / "home" / ".cache" / "saccade"


def test_features_are_the_backbones_grid_and_each_is_found_once(tmp_path: Path) -> None:
    eye, seen, said = small_eye(tmp_path), views(draw(tmp_path / "drawn", 5).files), list[str]()
    found = eye.remember([*seen, seen[2]], said.append)
    assert len(said) == 1
    assert said[0].startswith("features of resnet18: 5 of 5 pictures, ")
    rows = found.rows([eye.key(view) for view in seen])
    model = eye.backbone.load(eye.weights)
    for row, view in zip(rows, seen, strict=True):
        pixels = read_picture(view.picture, size=64, fit="squash")
        with torch.no_grad():
            grid = model.grid(eye.backbone.normalised(to_tensor(pixels[None])))[0].flatten(0, 1)
        kept = torch.from_numpy(found.batch(np.array([row]))[0]).float()
        torch.testing.assert_close(kept, grid, atol=2e-3, rtol=2e-3)  # half precision, row after row of the grid
    said.clear()
    more = views(draw(tmp_path / "drawn", 6).files)  # all were written anew: the same pictures at another time
    eye.remember(seen, said.append)
    assert said[0].startswith("features of resnet18: 5 of 5 ")
    said.clear()
    eye.remember(more, said.append)
    assert said[0].startswith("features of resnet18: 1 of 1 ")
    said.clear()
    eye.remember(more, said.append)
    assert said == []


def test_other_weights_and_another_fit_have_a_cache_of_their_own(tmp_path: Path, cache: Path) -> None:
    seen = views(draw(tmp_path / "drawn", 1).files)
    for eye in (small_eye(tmp_path), small_eye(tmp_path, seed=2), small_eye(tmp_path, fit="crop")):
        eye.remember(seen, silent)
    folders = sorted(folder.name for folder in (cache / "features").iterdir())
    assert len(folders) == 3
    assert all(name.startswith("resnet18-") for name in folders)
    assert len({name.split("-")[1] for name in folders}) == 2
    assert {name.split("-")[2] for name in folders} == {"crop", "squash"}


def test_what_is_hidden_is_not_seen(tmp_path: Path) -> None:
    eye, drawn = small_eye(tmp_path), draw(tmp_path / "drawn", 1)
    ref = PictureRef(drawn.files[0], "it")
    plain, hidden, everything = View(ref), View(ref, LEFT), View(ref, (Box(0, 0, 1, 1),))
    found = eye.remember([plain, hidden, everything], silent)
    grids = found.batch(found.rows([eye.key(view) for view in (plain, hidden, everything)]))
    assert not np.allclose(grids[0], grids[1], atol=1e-2)
    assert not np.allclose(grids[1], grids[2], atol=1e-2)


def test_a_broken_picture_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    eye, drawn = small_eye(tmp_path), draw(tmp_path / "drawn", BATCH + 2)
    whole = drawn.files[BATCH].read_bytes()
    drawn.files[BATCH].write_bytes(whole[:60])
    seen = views(drawn.files)
    with pytest.raises(DataError, match=rf"{BATCH}\.png: the picture is broken or cut off"):
        eye.remember(seen, silent)
    drawn.files[BATCH].write_bytes(whole)
    said: list[str] = []
    eye.remember(seen, said.append)
    assert said[0].startswith("features of resnet18: 2 of 2 pictures"), "the first batch was not kept"


@pytest.mark.exactness
def test_killed_in_the_middle_it_goes_on(tmp_path: Path, cache: Path) -> None:
    """The second batch waits for a picture that nobody sends: so the process is killed when the first is kept."""
    eye, drawn = small_eye(tmp_path), draw(tmp_path / "drawn", 2 * BATCH)
    last = drawn.files[-1]
    picture = last.read_bytes()
    last.unlink()
    os.mkfifo(last)
    program = (
        "import sys; from pathlib import Path\n"
        "from tasks.captions import small_eye; from tasks.test_features import views\n"
        "folder = Path(sys.argv[1])\n"
        f"files = tuple(folder / 'drawn' / f'{{n}}.png' for n in range({2 * BATCH}))\n"
        "small_eye(folder).remember(views(files), print)\n"
    )
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], env={**os.environ, "PYTHONPATH": paths})
    index = eye.cache().folder / "index.txt"
    while len(index.read_text().splitlines()) < BATCH:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    assert process.wait(timeout=30) == -signal.SIGKILL
    assert len(index.read_text().splitlines()) == BATCH
    last.unlink()
    last.write_bytes(picture)
    seen, said = views(drawn.files), list[str]()
    found = eye.remember(seen, said.append)
    assert said[0].startswith(f"features of resnet18: {BATCH} of {BATCH} pictures")
    keys = [eye.key(view) for view in seen]
    after = found.batch(found.rows(keys))
    (cache / "features").rename(tmp_path / "kept")
    never = eye.remember(seen, silent)
    assert np.array_equal(never.batch(never.rows(keys)), after)


def test_weights_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as told:
        Eye.open("resnet18", weights=str(tmp_path / "none.pth"), fit="crop")
    assert str(told.value) == (
        f"{tmp_path / 'none.pth'}: there is no such file; data.weights names one with the weights of a resnet18"
    )
    with pytest.raises(DataError, match="no package carries weights of a resnet18: give a file"):
        Eye.open("resnet18", weights=None, fit="crop")
