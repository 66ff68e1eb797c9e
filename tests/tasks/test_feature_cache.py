import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.tasks.feature_cache import HALF, FeatureCache, Grids

PLACES, CHANNELS = 4, 3
ROW = PLACES * CHANNELS * HALF.itemsize


def opened(folder: Path) -> FeatureCache:
    return FeatureCache(folder / "cache", places=PLACES, channels=CHANNELS)


def grids(*numbers: float) -> Grids:
    return np.stack([np.full((PLACES, CHANNELS), number, dtype=np.float16) for number in numbers])


def filled(folder: Path, *keys: str) -> FeatureCache:
    cache = opened(folder)
    with cache.writing():
        cache.append(keys, grids(*range(1, len(keys) + 1)))
    return cache


def numbers(cache: FeatureCache, *keys: str) -> list[float]:
    return [float(grid.mean()) for grid in cache.batch(cache.rows(keys))]


def test_what_is_appended_is_found_at_once_and_by_others(tmp_path: Path) -> None:
    cache = opened(tmp_path)
    assert cache.missing(["a", "b"]) == [0, 1]
    with cache.writing():
        cache.append(["a", "b"], grids(1, 2))
        cache.append(["c"], grids(3))
    assert cache.missing(["c", "x", "a"]) == [1]
    for one in (cache, opened(tmp_path)):
        assert numbers(one, "c", "a", "b", "a") == [3, 1, 2, 1]
        assert one.batch(one.rows(["a"])).shape == (1, PLACES, CHANNELS)
    assert cache.batch(cache.rows(["a"])).flags.writeable, "an array of its own"


def test_a_line_that_was_cut_names_nothing(tmp_path: Path) -> None:
    """The writer was killed between two bytes of a key: its row is looked at again, the others are whole."""
    filled(tmp_path, "first", "second")
    index = tmp_path / "cache" / "index.txt"
    index.write_bytes(b"first\nsec")
    cache = opened(tmp_path)
    assert cache.missing(["first", "second", "sec"]) == [1, 2]
    assert index.read_bytes() == b"first\nsec", "a reader must not touch what a writer may be in the middle of"
    with cache.writing():
        cache.append(["third"], grids(7))
    assert index.read_bytes() == b"first\nthird\n"
    assert numbers(opened(tmp_path), "first", "third") == [1, 7]


def test_rows_without_a_name_are_dropped(tmp_path: Path) -> None:
    """The writer was killed after the rows and before their names, perhaps within a row."""
    filled(tmp_path, "a", "b")
    grid = tmp_path / "cache" / "grid.f16"
    with grid.open("ab") as file:
        file.write(b"\xff" * (ROW + 5))
    cache = opened(tmp_path)
    assert numbers(cache, "a", "b") == [1, 2]
    with cache.writing():
        cache.append(["c"], grids(9))
    assert grid.stat().st_size == 3 * ROW
    assert numbers(opened(tmp_path), "a", "b", "c") == [1, 2, 9]


def test_two_writers_one_after_the_other(tmp_path: Path) -> None:
    """Another process writes while this one has the cache open: neither loses a row."""
    cache = filled(tmp_path, "a")
    program = (
        "import sys, numpy as np; from pathlib import Path; from saccade.tasks.feature_cache import FeatureCache\n"
        f"cache = FeatureCache(Path(sys.argv[1]), places={PLACES}, channels={CHANNELS})\n"
        f"with cache.writing(): cache.append(['b', 'c'], np.full((2, {PLACES}, {CHANNELS}), 5, dtype=np.float16))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(cache.folder)], check=True, timeout=60)
    assert cache.missing(["a", "b", "c"]) == [1, 2], "it was opened before"
    with cache.writing():
        assert cache.missing(["a", "b", "c"]) == [], "who waits for the lock finds what was written meanwhile"
        cache.append(["d"], grids(6))
    assert numbers(cache, "a", "b", "c", "d") == [1, 5, 5, 6]
    assert numbers(opened(tmp_path), "a", "b", "c", "d") == [1, 5, 5, 6]


def test_a_second_writer_waits(tmp_path: Path) -> None:
    cache = filled(tmp_path, "a")
    program = (
        "import sys; from pathlib import Path; from saccade.tasks.feature_cache import FeatureCache\n"
        f"cache = FeatureCache(Path(sys.argv[1]), places={PLACES}, channels={CHANNELS})\n"
        "print('ready', flush=True)\n"
        "with cache.writing(): print(cache.missing(['a', 'late']), flush=True)\n"
    )
    with cache.writing():
        other = subprocess.Popen(
            [sys.executable, "-c", program, str(cache.folder)], stdout=subprocess.PIPE, text=True, env={**os.environ}
        )
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        cache.append(["late"], grids(2))
    said, _ = other.communicate(timeout=60)
    assert said == "[]\n"


def test_rows_that_are_gone_are_refused(tmp_path: Path) -> None:
    filled(tmp_path, "a", "b")
    grid = tmp_path / "cache" / "grid.f16"
    os.truncate(grid, ROW)
    with pytest.raises(DataError) as told:
        opened(tmp_path)
    folder = tmp_path / "cache"
    assert str(told.value) == f"{grid} is shorter than {folder / 'index.txt'} says: delete {folder}; it is made anew"


def test_what_does_not_belong_is_refused(tmp_path: Path) -> None:
    cache = filled(tmp_path, "a")
    with pytest.raises(DataError) as told:
        cache.rows(["a", "b", "c"])
    assert str(told.value) == (
        f"{cache.folder} lacks the features of 2 pictures: they were changed after they had been looked at; give the "
        "command again"
    )
    with cache.writing(), pytest.raises(DataError, match=r"features of the shape \(1, 4, 3\) for 2 rows of \(4, 3\)"):
        cache.append(["x", "y"], grids(1))
    assert numbers(opened(tmp_path), "a") == [1]
