"""Options and fixtures of the whole suite."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from command import multilingual_in, translator_in, tuned_in
from saccade.runs import Run, load

# A busy machine is no mistake: what is to be quick has the mark `timing`.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

LONG = ("docs", "learning", "exactness")
TOGETHER = ("browser", "scenes")  # rooms whose files share something that takes long to make


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew instead of comparing")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that train come first: begun last, one of them would keep one core busy while the others wait."""
    long = {item.path for item in items if any(item.get_closest_marker(name) for name in LONG)}
    items.sort(key=lambda item: item.path not in long)


class ByRoom(LoadScopeScheduling):
    """With several workers each file, or room of files, goes to one of them as a whole."""

    def _split_scope(self, nodeid: str) -> str:
        file = Path(nodeid.split("::")[0])
        return file.parent.name if file.parent.name in TOGETHER else str(file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByRoom:
    return ByRoom(config, log)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Results that do not depend on the machine, and no quarrel over its cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder of runs for the whole session."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def translator(place: Path) -> Path:
    return translator_in(place)


@pytest.fixture(scope="session")
def tuned(place: Path) -> Path:
    return tuned_in(place)


@pytest.fixture(scope="session")
def run(translator: Path) -> Run:
    return load(translator)


@pytest.fixture(scope="session")
def multilingual(place: Path) -> Path:
    return multilingual_in(place)
