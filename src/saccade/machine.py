"""How this process uses its machine: threads that wait politely, memory that is kept. Nothing here changes results."""

import ctypes
import os
import sys

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # from glibc's malloc.h
_LARGEST = 1 << 30


def wait_politely() -> None:
    """Idle OpenMP threads sleep instead of spinning; only before torch is loaded, and unless the user chose otherwise.

    A spinning thread steals the core from the thread it waits for as soon as anything else runs on the machine.
    Measured on two cores, training steps of transformer-tiny with 2+2 layers beside one busy process: 1,044 target
    tokens/s spinning, 7,744 sleeping.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def keep_memory() -> None:
    """Large tensors come from memory that the process already has, instead of fresh pages for each one.

    glibc gives every large allocation pages of its own and returns them when it is freed; the kernel then maps and
    zeroes them again in the next step. With other C libraries this does nothing.
    """
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None)
    if hasattr(libc, "gnu_get_libc_version"):
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGEST)
        libc.mallopt(_M_TRIM_THRESHOLD, _LARGEST)
