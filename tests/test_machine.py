"""None of these functions changes results; what they are for can be counted."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from saccade.machine import one_thread, peak_memory

FAULTS = """
import resource, torch
from saccade.machine import keep_memory
{before}
def step():
    return torch.empty(16, 1024, 1024).fill_(1.0)
for _ in range(20):  # until the holes between small objects are found again
    step()
first = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - first)
"""


def python(code: str, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**clean, **environment}
    )
    return done.stdout.strip()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator is what is set")
def test_large_tensors_come_from_memory_that_is_there() -> None:
    usual = int(python(FAULTS.format(before="")))
    kept = int(python(FAULTS.format(before="keep_memory()")))
    assert kept < usual / 10


def test_threads_wait_politely_unless_the_user_chose() -> None:
    asked = "import saccade, os; print(os.environ.get('GOMP_SPINCOUNT'))"
    assert python(asked) == "5000"
    assert python(asked, GOMP_SPINCOUNT="7") == "7"
    assert python(asked, OMP_WAIT_POLICY="ACTIVE") == "None"


def test_the_peak_is_of_the_program_and_not_of_its_parent() -> None:
    held = bytearray(300 * 2**20)
    before = peak_memory()
    assert before > len(held)
    child = int(python("from saccade.machine import peak_memory\nprint(peak_memory())"))
    assert 0 < child < len(held)
    with_more = int(
        python(f"held = b'x' * {200 * 2**20}\nfrom saccade.machine import peak_memory\nprint(peak_memory())")
    )
    assert with_more > child + 190 * 2**20


def test_the_peak_of_another_process() -> None:
    code = "print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()  # type: ignore[union-attr]
        assert 2**20 < peak_memory(other.pid) < peak_memory()
        other.communicate(b"\n")


def test_a_child_ends_with_its_parent() -> None:
    code = (
        "import subprocess, sys, os\n"
        "from saccade.machine import ends_with_parent\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "child = subprocess.Popen(sleep, preexec_fn=ends_with_parent())\n"
        "print(child.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    child = Path(f"/proc/{int(done.stdout)}/status")
    deadline = time.monotonic() + 10
    while child.exists() and "zombie" not in child.read_text() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not child.exists() or "zombie" in child.read_text()


@pytest.mark.parametrize("asked", [True, False])
def test_one_thread_for_a_while(asked: bool) -> None:
    torch.set_num_threads(2)
    with one_thread(asked):
        assert torch.get_num_threads() == (1 if asked else 2)
    assert torch.get_num_threads() == 2
