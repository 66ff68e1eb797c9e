"""One small measurement for all tests that look at its outcome."""

import pytest

from complexity.small import SMALL
from saccade.complexity import Complexity, measure


@pytest.fixture(scope="session")
def measured() -> Complexity:
    return measure(SMALL)
