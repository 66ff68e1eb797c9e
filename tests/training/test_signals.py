import os
import signal
import threading

import pytest

from saccade.training.signals import interruptible


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_sets_the_flag_and_a_second_one_leaves(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with interruptible() as interrupt:
        assert interrupt.signal is None
        os.kill(os.getpid(), number)
        assert interrupt.signal == number
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_outside_the_main_thread_there_is_nothing_to_catch() -> None:
    found: list[int | None] = []

    def work() -> None:
        with interruptible() as interrupt:
            found.append(interrupt.signal)

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [None]
    assert signal.getsignal(signal.SIGTERM) is before
