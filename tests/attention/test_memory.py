"""The fused path never holds a Q×K table: its memory grows with the length, not with its square."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from attention.naive import Watcher
from saccade.attention import EVERYWHERE, Mask, attend

MASKS: dict[str, Callable[[int], Mask]] = {
    "everywhere": lambda length: EVERYWHERE,
    "causal": lambda length: Mask(causal=True),
    "padding": lambda length: Mask(keys_BK=torch.arange(length)[None] < length - 7),
    "window": lambda length: Mask(window=32),
    "causal window and padding": lambda length: Mask(
        keys_BK=torch.arange(length)[None] < length - 7, window=32, causal=True
    ),
}


def peak_bytes(length: int, mask: Mask, folder: Path, *, backward: bool = False, seen: bool = False) -> int:
    """The most that attention held at once beyond its inputs, from torch's own account of every allocation."""
    inputs = [torch.randn(1, 1, length, 16, requires_grad=backward) for _ in range(3)]
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        context = attend(*inputs, mask=mask, listener=Watcher() if seen else None)
        if backward:
            context.sum().backward()
    trace = folder / f"{length}.json"
    profiler.export_chrome_trace(str(trace))
    events = [e for e in json.loads(trace.read_text())["traceEvents"] if e.get("name") == "[memory]"]
    held = most = 0
    for event in sorted(events, key=lambda e: float(e["ts"])):
        held += event["args"]["Bytes"]
        most = max(most, held)
    return most


@pytest.mark.parametrize("mask", MASKS)
def test_forward_is_linear_in_the_length(mask: str, tmp_path: Path) -> None:
    lengths = (2048, 4096, 8192, 16384)
    peaks = [peak_bytes(length, MASKS[mask](length), tmp_path) for length in lengths]
    for shorter, longer in pairwise(peaks):
        assert longer < 2.6 * shorter
    for length, peak in zip(lengths, peaks, strict=True):
        assert length * 16 * 4 <= peak < length * length  # at least the context, less than one byte for each pair


@pytest.mark.parametrize("mask", MASKS)
def test_backward_is_linear_in_the_length(mask: str, tmp_path: Path) -> None:
    peaks = [peak_bytes(length, MASKS[mask](length), tmp_path, backward=True) for length in (2048, 4096)]
    assert 0 < peaks[1] < 2.6 * peaks[0]
    assert peaks[1] < 4096 * 4096


def test_looking_costs_the_table(tmp_path: Path) -> None:
    """The measure would see a table if there were one."""
    peaks = [peak_bytes(length, Mask(causal=True), tmp_path, seen=True) for length in (512, 1024)]
    assert peaks[1] > 3.5 * peaks[0]
    assert peaks[1] > 4 * 1024 * 1024
