"""Neither function changes results; what they are for can be counted."""

import os
import subprocess
import sys

import pytest

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
