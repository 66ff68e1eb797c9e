"""Saccade trains, measures, looks inside and serves attention models.

>>> import saccade
>>> run = saccade.train("transformer-tiny", ["data.train=pairs.tsv"])
>>> run.translate("a small red circle").text
>>> with saccade.record(run, "decoder.*.cross") as seen:
...     run.translate("a small red circle")
>>> seen["decoder.2.cross"].weights_BHQK
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from saccade.errors import SaccadeError
from saccade.machine import wait_politely
from saccade.version import __version__

if TYPE_CHECKING:
    from saccade.attention import record
    from saccade.cli.train import resume, train
    from saccade.runs import load

wait_politely()

__all__ = ["SaccadeError", "__version__", "load", "record", "resume", "train"]

_HOMES = {
    "load": "saccade.runs",
    "record": "saccade.attention",
    "resume": "saccade.cli.train",
    "train": "saccade.cli.train",
}


def __getattr__(name: str) -> Any:
    """Torch takes seconds to import, so what needs it is imported when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'saccade' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
