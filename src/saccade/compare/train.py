"""The training of one system, in a process of its own: its peak of memory is its own, and so is its end."""

import signal
import subprocess
import sys
from pathlib import Path

from saccade.errors import RunError
from saccade.machine import ends_with_parent
from saccade.training.signals import interruptible

_LOOKS_SECONDS = 0.2


def train(run: Path) -> None:
    """`saccade resume RUN`, which begins or goes on; its lines go to standard error.

    Ctrl-C reaches the training by itself, and SIGTERM is passed on to it: it saves and leaves. When this process is
    killed, the training is too, and both go on later.
    """
    # -P: a file of the user's beside the data must not be taken for a module.
    command = [sys.executable, "-P", "-m", "saccade", "resume", str(run)]
    with interruptible() as interrupt:
        training = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=ends_with_parent())
        told = False
        while True:
            try:
                code = training.wait(timeout=_LOOKS_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if interrupt.signal == signal.SIGTERM and not told:
                    training.terminate()
                    told = True
    if interrupt.signal == signal.SIGTERM or code == 128 + signal.SIGTERM:
        raise SystemExit(128 + signal.SIGTERM)
    if interrupt.signal == signal.SIGINT or code == 128 + signal.SIGINT:
        raise KeyboardInterrupt
    if code == 2:
        raise RunError(f"{run} could not be trained, for the reason above; once it is mended the same command goes on")
    if code:
        how = f"was killed by signal {-code} (out of memory?)" if code < 0 else f"ended with code {code}"
        raise RunError(f"the training of {run} {how}; the same command goes on where it stopped")
