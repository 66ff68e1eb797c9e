"""Ctrl-C and SIGTERM: finish the step, save, leave. A second Ctrl-C leaves at once."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interrupt:
    """``signal`` is the number of the signal that asked for an end, or None."""

    signal: int | None = None


@contextmanager
def interruptible() -> Iterator[Interrupt]:
    """Signals set the returned flag instead of killing the program. Outside the main thread there are none to catch."""
    interrupt = Interrupt()
    if threading.current_thread() is not threading.main_thread():
        yield interrupt
        return

    def asked(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (the shape of a signal handler)
        if interrupt.signal is not None:
            raise KeyboardInterrupt
        interrupt.signal = number

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield interrupt
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
