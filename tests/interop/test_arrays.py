"""Pickled arrays: what numpy writes is read, and nothing else is run."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.interop.arrays import read_arrays

TREE = {
    "one": {"kernel": np.arange(24, dtype=np.float32).reshape(2, 3, 4), "bias": np.ones(3, dtype=np.float16)},
    "two": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "big": np.arange(3, dtype=">f4"),
}


class Evil:
    """Makes a file the moment its pickle is read without care."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("protocol", [3, 4])
@pytest.mark.parametrize("module", [b"numpy._core.multiarray", b"numpy.core.multiarray"])
def test_a_tree_of_arrays(tmp_path: Path, protocol: int, module: bytes) -> None:
    """Both names under which numpy's versions write the function that makes an array."""
    written = pickle.dumps(TREE, protocol=protocol)
    if protocol == 3:  # later ones tell the length of a name
        written = written.replace(b"numpy._core.multiarray", module)
    (tmp_path / "tree.ckpt").write_bytes(written)
    found = read_arrays(tmp_path / "tree.ckpt")
    assert list(found) == ["one.kernel", "one.bias", "two", "big"]
    for name, expected in (("one.kernel", TREE["one"]["kernel"]), ("two", TREE["two"]), ("big", TREE["big"])):
        assert np.array_equal(found[name], expected)
        assert found[name].dtype == expected.dtype


def test_nothing_is_run(tmp_path: Path) -> None:
    file, made = tmp_path / "evil.ckpt", tmp_path / "made"
    file.write_bytes(pickle.dumps({"weights": Evil(made)}))
    with pytest.raises(DataError, match=r"nothing in it was run \(it asks for .*; only arrays of numbers are read\)"):
        read_arrays(file)
    assert not made.exists()
    pickle.loads(file.read_bytes())
    assert made.exists(), "the file would not have done anything, and the test says nothing"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a list"], "it is a list, no array and no dictionary"),
        ({"a": {"b": "text"}}, "a.b is a str, no array and no dictionary"),
        ({"a": np.array(["text"])}, "numbers of type 'U4'; expected f2, f4, f8"),
        ({"a": np.array([{}, 1], dtype=object)}, "numbers of type 'O8'; expected f2, f4, f8"),
    ],
)
def test_what_holds_no_arrays(tmp_path: Path, given: Any, message: str) -> None:
    (tmp_path / "other.ckpt").write_bytes(pickle.dumps(given))
    with pytest.raises(DataError, match=message):
        read_arrays(tmp_path / "other.ckpt")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_file_that_was_cut_off(tmp_path: Path, share: float) -> None:
    whole = pickle.dumps(TREE)
    (tmp_path / "cut.ckpt").write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(DataError, match=r"cut\.ckpt cannot be read as arrays"):
        read_arrays(tmp_path / "cut.ckpt")


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.ckpt cannot be read: No such file"):
        read_arrays(tmp_path / "none.ckpt")
