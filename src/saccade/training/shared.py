"""Memory that several processes see: the weights of a model, and one gradient for each helper."""

import mmap
import os
from collections.abc import Sequence

import torch
from torch import Tensor

_ALIGNED = 16  # float32 numbers in 64 bytes, so that kernels find every tensor as they find torch's own


class SharedTensors:
    """``copies`` of a list of float32 tensors, in memory behind a file descriptor.

    The memory has no name and goes with the last process that holds it, however that ends.
    """

    def __init__(self, like: Sequence[Tensor], *, copies: int, descriptor: int | None = None) -> None:
        self._like = like
        self._starts, length = [], 0
        for tensor in like:
            self._starts.append(length)
            length += -(-tensor.numel() // _ALIGNED) * _ALIGNED
        size = copies * length * 4
        if descriptor is None:
            descriptor = os.memfd_create("saccade")
            os.ftruncate(descriptor, size)
        self.descriptor = descriptor
        self._flat = torch.frombuffer(mmap.mmap(descriptor, size), dtype=torch.float32).view(copies, length)

    def copy(self, number: int) -> list[Tensor]:
        """One of the copies, as tensors of the right shapes."""
        row = self._flat[number]
        return [
            row[start : start + tensor.numel()].view(tensor.shape)
            for start, tensor in zip(self._starts, self._like, strict=True)
        ]

    def zero(self, number: int) -> None:
        self._flat[number].zero_()


def available() -> bool:
    """Whether this system has memory without a name; Linux does."""
    return hasattr(os, "memfd_create")
