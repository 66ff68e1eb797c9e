"""A real Chromium for the tests of this room."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from browser.pages import PATIENCE, AttentionPage, ExplorerPage
from browser.runs import runs_in
from saccade.attention.seen import Attended
from saccade.view.page import page as attention_page
from serve.service import Service, running
from view.pages import ENGLISH, attended

NAMES = ("chromium", "chromium-browser", "google-chrome")
NOTICE = (
    "no Chromium on this machine (Debian and Ubuntu: apt-get install chromium): the tests in a browser are left out"
)

expect.set_options(timeout=1000 * PATIENCE)  # as long as everything else in this room

Opener = Callable[..., AttentionPage]


def chromium() -> str:
    """The browser of this machine. Without one the tests are left out, with a notice; where CI is set they fail."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(NOTICE)
        pytest.skip(NOTICE)
    return found


# Of this package, not of the session: while it lives, asyncio takes its loop for running, and gives others none.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    found = chromium()
    with sync_playwright() as playwright:
        # The sandbox needs rights that a container's root has not.
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def runs(place: Path) -> dict[str, Path]:
    return runs_in(place)


@pytest.fixture(scope="package")
def service(runs: dict[str, Path]) -> Iterator[Service]:
    with running(list(runs.values())) as found:
        yield found


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1100, "height": 900}, accept_downloads=True)
    made.set_default_timeout(1000 * PATIENCE)
    yield made
    made.close()


@pytest.fixture
def wrong() -> list[str]:
    """What went wrong in the tab; a test that means it to takes it out."""
    return []


@pytest.fixture
def tab(context: BrowserContext, wrong: list[str]) -> Iterator[Page]:
    """A tab in which nothing may go wrong: an error or a refused script fails the test."""
    made = context.new_page()
    made.on("pageerror", lambda error: wrong.append(str(error)))
    made.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    made.on("dialog", lambda dialog: (wrong.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
    yield made
    assert wrong == []


@pytest.fixture
def explorer(tab: Page, service: Service) -> ExplorerPage:
    return ExplorerPage(tab, f"{service.url}/")


@pytest.fixture
def opened(tab: Page, tmp_path: Path) -> Opener:
    """Writes a page as `saccade view` does and opens it; ``state`` is the fragment of its address."""

    def open_(layers: list[Attended], state: str = "", **more: object) -> AttentionPage:
        file = tmp_path / "attention.html"
        given = {"title": "Attention", "source": "source", "target": "target"} | more
        file.write_text(attention_page(layers, **given), encoding="utf-8")  # type: ignore[arg-type]
        tab.goto(f"{file.as_uri()}#{state}")
        return AttentionPage(tab)

    return open_


@pytest.fixture
def layers() -> list[Attended]:
    """A translator of two layers; in decoder.1.cross, head 2, each query looks at one key."""
    encoder = [attended(f"encoder.{n}.self", queries=ENGLISH, keys=ENGLISH, seed=n) for n in range(2)]
    cross = [attended(f"decoder.{n}.cross", seed=10 + n) for n in range(2)]
    sharp_HQK = cross[1].weights_HQK
    sharp_HQK[2] = torch.eye(len(ENGLISH) + 1)[:, : len(ENGLISH)]
    return encoder + cross
