import pytest

from saccade.attention.seen import Attended
from view.pages import ENGLISH, attended


@pytest.fixture
def layers() -> list[Attended]:
    encoder = [attended(f"encoder.{n}.self", queries=ENGLISH, keys=ENGLISH, seed=n) for n in range(2)]
    cross = [attended(f"decoder.{n}.cross", seed=10 + n) for n in range(2)]
    return encoder + cross
