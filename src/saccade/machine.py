"""How this process uses its machine: threads that wait politely, memory that is kept. Nothing here changes results."""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # from glibc's malloc.h
_LARGEST = 1 << 30
_PR_SET_PDEATHSIG = 1  # from Linux's prctl.h


def wait_politely() -> None:
    """Idle OpenMP threads spin briefly, then sleep; only before torch is loaded, and unless the user chose otherwise.

    A thread that spins for long steals the core from the one it waits for as soon as anything else runs on the
    machine; one that sleeps at once is woken too late for the small kernels of decoding. Measured on two cores, target
    tokens/s of training steps (transformer-tiny, 2+2 layers) and sentences/s of beam 5 (transformer-small):

        ==================  ============  =====================
        spins               idle machine  beside a busy process
        ==================  ============  =====================
        without end         18,844 · 157  5,456 · 50
        30,000 rounds       16,932 · 140  3,634 · 25
        10,000 rounds       16,175 · 129  5,142 · 43
        2,000 rounds        12,677 · 123  6,757 · 57
        not at all          12,457 · 76   9,329 · 72
        ==================  ============  =====================

    GNU's own default lies between the first two rows; in another run, with more going on beside it, it fell to 1,044
    tokens/s where sleeping threads kept 7,744.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "5000")


@contextmanager
def one_thread(asked: bool = True) -> Iterator[None]:
    """Inside the block torch computes with one thread, where that is ``asked``; afterwards with as many as before.

    The steps of one text are so small that a second thread is woken too late to be of use. Measured on two cores, GPT
    with 12 layers of width 256, new tokens/s: one text 80 instead of 14, sixteen at once 450 instead of 286.
    """
    import torch

    threads = torch.get_num_threads()
    if asked:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def keep_memory() -> None:
    """Large tensors come from memory that the process already has, instead of fresh pages for each one.

    glibc gives every large allocation pages of its own and returns them when it is freed; the kernel then maps and
    zeroes them again in the next step. Measured on two cores in one process, transformer-tiny with 10,000 words on 160
    pairs of 25 tokens: from 161,787 page faults a step to 3,914, from 0.77 s to 0.54 s. With other C libraries this
    does nothing.
    """
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None)
    if hasattr(libc, "gnu_get_libc_version"):
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGEST)
        libc.mallopt(_M_TRIM_THRESHOLD, _LARGEST)


def peak_memory(process: int | None = None) -> int:
    """The most bytes of memory that a process held so far; without a number, this one.

    Linux tells it for the program that runs now. What getrusage tells there includes the moment before a new program
    took the process over, when it was still a copy of its parent; elsewhere, and only for this process, it must do.
    """
    status = Path(f"/proc/{process or 'self'}/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return 0 if process is not None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def ends_with_parent() -> Callable[[], None] | None:
    """For ``subprocess``: a child that is killed as soon as this process ends, however that happens. Linux only."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
