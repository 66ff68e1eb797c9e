"""How many floating-point operations the steps of a training take.

Every matrix product of a forward and a backward pass counts, at 2·M·N·K operations for (M × K)·(K × N), by torch's own
formulas; what is done number by number (softmax, tanh, dropout, the optimiser) does not, as is usual. To count slows a
step down, so it is done for a few very small batches only. The products of a step are a polynomial in its padded
lengths, and a few counts determine it. For attention over everything and for recurrences the estimate is the count of
the whole batch, to the last operation; where a layer looks at a window, it is near it. What chance adds is not counted:
tokens of BPE dropout (nor are they in the count of tokens), and translations that are sampled to be rewarded. Nor are
pictures that equalizing reads again with persons hidden, which depend on what captions say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry, sdpa_backward_flop_count, sdpa_flop_count

from saccade.data.batches import Rows
from saccade.tasks.base import Task


@dataclass(frozen=True)
class Cost:
    """What the steps of a model cost: whole numbers, so that every machine counts alike."""

    weights: tuple[int, ...]

    def flops(self, work: Sequence[int]) -> int:
        """Σ weight · number, for the numbers of ``Task.work``."""
        return sum(weight * number for weight, number in zip(self.weights, work, strict=True))


def measured_cost(task: Task, model: nn.Module) -> Cost:
    """Counts the task's probes and finds the weights that explain them."""
    probes = task.probes()
    work = np.array([task.work(rows) for rows in probes], dtype=np.float64)
    counted = np.array([counted_flops(task, model, rows) for rows in probes], dtype=np.float64)
    sizes = np.maximum(work.max(axis=0), 1.0)  # a length and its square must weigh alike
    weights, *_ = np.linalg.lstsq(work / sizes, counted)
    return Cost(tuple(round(weight) for weight in (weights / sizes).tolist()))


def counted_flops(task: Task, model: nn.Module, rows: Rows) -> int:
    """The operations of one forward and backward pass over these rows; no gradient and no statistic stays behind."""
    model.train()
    kept = {name: buffer.clone() for name, buffer in model.named_buffers()}
    with Counter() as counter:
        task.loss(model, rows).total.backward()  # type: ignore[no-untyped-call]
    model.zero_grad(set_to_none=True)
    for name, buffer in model.named_buffers():
        buffer.copy_(kept[name])
    return int(counter.flops)


class Counter(TorchDispatchMode):
    """Adds up the operations of what torch computes meanwhile.

    torch's ``FlopCounterMode`` does the same for the formulas it has, but loads torch's compiler: a second and 70 MB.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.flops = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True wraps this class for the compiler, which would be loaded for that

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        formula = FORMULAS.get(func._overloadpacket)
        if formula is not None:
            self.flops += formula(*args, **(kwargs or {}), out_val=out)
        return out


def _added_product(sum_MN: Tensor, a_MK: Tensor, *_: Any, **__: Any) -> int:
    return 2 * a_MK.shape[1] * sum_MN.numel()


def _attention(query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> int:
    return int(sdpa_flop_count(query.shape, key.shape, value.shape))  # type: ignore[no-untyped-call]


def _attention_backward(gradient: Tensor, query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> int:
    shapes = (gradient.shape, query.shape, key.shape, value.shape)
    return int(sdpa_backward_flop_count(*shapes))  # type: ignore[no-untyped-call]


def _lstm(x_TBX: Tensor, from_input: Tensor, from_state: Tensor, *_: Any, **__: Any) -> int:
    """Every word of every sentence is multiplied with both matrices."""
    return 2 * x_TBX.shape[0] * x_TBX.shape[1] * (from_input.numel() + from_state.numel())


def _lstm_backward(*tensors: Any, **named: Any) -> int:
    """Each product has two gradients of its own size."""
    return 2 * _lstm(*tensors, **named)


def _recurrences(x_TBX: Tensor, weights: Sequence[Tensor], *_: Any, **__: Any) -> int:
    return 2 * x_TBX.shape[0] * x_TBX.shape[1] * sum(one.numel() for one in weights if one.dim() == 2)


def _recurrences_backward(*tensors: Any, **named: Any) -> int:
    return 2 * _recurrences(*tensors, **named)


_aten = torch.ops.aten
MISSING_IN_TORCH = {
    _aten.addmm_: _added_product,
    _aten._scaled_dot_product_flash_attention_for_cpu: _attention,
    _aten._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward,
    _aten.mkldnn_rnn_layer: _lstm,
    _aten.mkldnn_rnn_layer_backward: _lstm_backward,
    _aten._cudnn_rnn: _recurrences,
    _aten._cudnn_rnn_backward: _recurrences_backward,
}
FORMULAS = {**flop_registry, **MISSING_IN_TORCH}
