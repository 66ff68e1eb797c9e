"""What one pass through a layer costs: operations and memory exactly, time as the median of many passes."""

import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from saccade.complexity.works import Run

Clock = Callable[[], float]

LEAST_SECONDS = 0.02  # a quicker pass is repeated until so much time has gone by, since clocks and wake-ups are coarse


def count_operations(run: Run) -> int:
    """Multiplications and additions of all matrix products of one pass; what goes element by element is not counted."""
    with torch.no_grad(), FlopCounterMode(display=False, custom_mapping=_MAPPING) as counter:
        run()
    return int(counter.get_total_flops())


def _attention_operations(query_BHQD: Sequence[int], key_BHKD: Sequence[int], *_: Any, **__: Any) -> int:
    """A product for the scores and one for the weighted sum; torch has this formula for a GPU's kernels only."""
    return 4 * math.prod(query_BHQD) * key_BHKD[2]


_MAPPING = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: _attention_operations}


def peak_memory(run: Run) -> int:
    """The most bytes that torch held at one time for one pass, its inputs and weights not counted.

    Every allocation and release is recorded by torch's profiler, temporary ones inside of kernels included, so that
    the answer is the same each time, which that of the operating system is not.
    """
    # The profiler's engine reads this when it first starts, and would else write about itself to standard error.
    os.environ.setdefault("KINETO_LOG_LEVEL", "9")
    with torch.no_grad(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        result = run()
    del result
    recorded: Any = seen.profiler
    events = [event for event in recorded.kineto_results.events() if event.name() == "[memory]"]
    held = peak = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        peak = max(peak, held)
    return peak


def clock_for(threads: int) -> Clock:
    """On one thread the processor's own time, which stands still while other programs have the core; else the wall's.

    The time that several threads spend together says nothing of how soon they are done.
    """
    return time.thread_time if threads == 1 else time.perf_counter


def median_seconds(
    runs: Sequence[Run], *, repeats: int, clock: Clock, on_progress: Callable[[int], None]
) -> list[float]:
    """The median time of a pass of each.

    They take turns, all of them in every round, so that a busy moment of the machine falls on all sizes alike and does
    not bend the growth from one to the next.
    """
    samples: list[list[float]] = [[] for _ in runs]
    with torch.no_grad():
        passes = [max(1, math.ceil(LEAST_SECONDS / _seconds(run, 1, time.perf_counter))) for run in runs]
        for done in range(repeats):
            for place, run in enumerate(runs):
                samples[place].append(_seconds(run, passes[place], clock))
                on_progress(done * len(runs) + place + 1)
    return [statistics.median(each) for each in samples]


def _seconds(run: Run, passes: int, clock: Clock) -> float:
    began = clock()
    for _ in range(passes):
        run()
    return (clock() - began) / passes
