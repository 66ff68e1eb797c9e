"""Data sets of the Hugging Face hub, streamed through the ``datasets`` library (the extra ``[hub]``)."""

from collections.abc import Iterator
from typing import Any

from saccade.data.examples import Pair
from saccade.data.sources.wanted import Wanted, pair_of
from saccade.errors import DataError

SPLITS = {"train": "train", "valid": "validation", "test": "test"}


def hub_pairs(rest: str, wanted: Wanted, *, split: str) -> Iterator[Pair]:
    """The pairs of ``owner/name`` or ``owner/name/config``."""
    shown = f"hub:{rest}"
    parts = rest.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise DataError(f"{shown}: expected hub:owner/name or hub:owner/name/config")
    try:
        import datasets
    except ImportError:
        raise DataError(f'{shown}: reading from the hub needs datasets: pip install "saccade[hub]"') from None
    config = parts[2] if len(parts) == 3 else None
    try:
        rows = datasets.load_dataset("/".join(parts[:2]), config, split=SPLITS[split], streaming=True)
    except Exception as error:
        raise _unreadable(shown, split, error) from error
    return _pairs(rows, wanted, shown, split)


def _pairs(rows: Any, wanted: Wanted, shown: str, split: str) -> Iterator[Pair]:
    number = 0
    iterator = iter(rows)
    while True:
        try:
            record = next(iterator)
        except StopIteration:
            return
        except Exception as error:
            raise _unreadable(shown, split, error) from error
        number += 1
        yield pair_of(record, wanted, f"{shown}:{number}")


def _unreadable(shown: str, split: str, error: Exception) -> DataError:
    """The library raises errors of its own, of the network's and of each file format's: all end here."""
    return DataError(f'{shown}: the split "{SPLITS[split]}" cannot be read: {type(error).__name__}: {error}')
