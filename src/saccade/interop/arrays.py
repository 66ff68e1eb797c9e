"""Pickled numpy arrays, read without running anything that is in the file.

A pickle may name any function to be called. Here three names are known, those with which numpy writes an array, and
each is answered by a stand-in that looks at plain bytes; everything else is refused.
"""

import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.errors import DataError

Array = npt.NDArray[np.floating[Any]]
NUMBERS = ("f2", "f4", "f8")


def read_arrays(path: Path) -> dict[str, Array]:
    """The arrays of a tree of dictionaries, with dots between the names on the way to each."""
    try:
        with path.open("rb") as file:
            tree = _Unpickler(file).load()
        return dict(_leaves(tree, ()))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    # A broken pickle may end in almost any error of Python's own.
    except (pickle.UnpicklingError, ValueError, TypeError, LookupError, AttributeError, EOFError, MemoryError) as error:
        raise DataError(f"{path} cannot be read as arrays, and nothing in it was run ({error})") from error


class _Number:
    """In place of ``numpy.dtype``."""

    def __init__(self, code: str, *_: object) -> None:
        if code not in NUMBERS:
            raise pickle.UnpicklingError(f"it has numbers of type {code!r}; expected {', '.join(NUMBERS)}")
        self.code = code
        self.order = "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1] if state[1] in ("<", ">") else "="


class _Array:
    """In place of ``numpy.ndarray``: empty until its state comes, which is (version, shape, type, order, bytes)."""

    def __init__(self, *_: object) -> None:
        self.array: Array | None = None

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, number, columns_first, data = state
        if not isinstance(number, _Number) or not isinstance(data, bytes):
            raise pickle.UnpicklingError("an array in it does not consist of numbers")
        flat = np.frombuffer(data, dtype=np.dtype(number.order + number.code))
        self.array = flat.reshape(shape, order="F" if columns_first else "C")


class _Unpickler(pickle.Unpickler):
    KNOWN: Mapping[tuple[str, str], Any] = {
        ("numpy.core.multiarray", "_reconstruct"): _Array,
        ("numpy._core.multiarray", "_reconstruct"): _Array,
        ("numpy", "ndarray"): _Array,
        ("numpy", "dtype"): _Number,
    }

    def find_class(self, module: str, name: str, /) -> Any:
        if (module, name) not in self.KNOWN:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}; only arrays of numbers are read")
        return self.KNOWN[module, name]


def _leaves(tree: object, way: tuple[str, ...]) -> Iterator[tuple[str, Array]]:
    if isinstance(tree, _Array) and tree.array is not None:
        yield ".".join(way), tree.array
    elif isinstance(tree, dict):
        for name, branch in tree.items():
            yield from _leaves(branch, (*way, str(name)))
    else:
        raise pickle.UnpicklingError(f"{'.'.join(way) or 'it'} is a {type(tree).__name__}, no array and no dictionary")
