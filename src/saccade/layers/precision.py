"""Full precision for a loop in a model that is otherwise computed in bfloat16."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor


@contextmanager
def all_bits(*tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Within, nothing is rounded to bfloat16; the tensors are given back as float32 where they were rounded before.

    A state goes through as many roundings as there are words, so a loop over them keeps all its bits. Nor may a weight
    whose gradient is computed by hand (``LateLinear``) meet two types: backward runs without autocast.
    """
    with torch.autocast(tensors[0].device.type, enabled=False):
        yield tuple(one.float() if one.dtype == torch.bfloat16 else one for one in tensors)
