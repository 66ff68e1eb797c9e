"""Sequential operations: the longest chain of kernels of which each needs the result of the one before.

However many processors there are, a pass cannot be done in fewer steps than this chain has.
"""

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from saccade.complexity.works import Run


def longest_chain(run: Run) -> int:
    """Kernels on the longest way from the inputs to the result."""
    chains = _Chains()
    with torch.no_grad(), chains:
        result = run()
    return chains.before(result)


class _Chains(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes of every tensor that is computed how many kernels lie before it: 1 + the most of those it is made from.

    Views compute nothing and add nothing. Memory is told apart by its address, which is why all of it is kept until the
    end: an address that is used again would join two chains that have nothing to do with each other.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._lengths: dict[int, int] = {}
        self._kept: list[Tensor] = []

    def before(self, tensor: Tensor) -> int:
        return self._lengths.get(tensor.untyped_storage().data_ptr(), 0)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
        length = max((self.before(one) for one in given), default=0)
        result = func(*args, **kwargs)
        made = [one for one in tree_leaves(result) if isinstance(one, Tensor)]
        shared = {one.untyped_storage().data_ptr() for one in given}
        for one in made:
            place = one.untyped_storage().data_ptr()
            computed = place not in shared or func._schema.is_mutable
            self._lengths[place] = max(self._lengths.get(place, 0), length + computed)
        self._kept += made
        return result
