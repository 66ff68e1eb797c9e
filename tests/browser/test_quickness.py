"""How long one waits: for a word pointed at, for another head, for the page itself."""

import statistics
from urllib.parse import urlencode

import pytest

from browser.conftest import Opener
from browser.pages import AttentionPage, ExplorerPage
from view.pages import attended

pytestmark = pytest.mark.timing

BUDGET = 50  # milliseconds
FIRST_PAINT = 1000
WORDS = 63  # with the end mark 64 × 64 tokens


def check(page: AttentionPage) -> None:
    """Medians after a short warm-up, in which the browser compiles what it draws with."""
    points = [(0.7, 0.1 + 0.013 * n) for n in range(60)]
    page.hover_times(points[:20])
    page.switch_times("head")
    assert len(page.switch_times("head") + page.switch_times("layer")) == 9 + 6
    assert statistics.median(page.hover_times(points)) < BUDGET
    switches = [time for _ in range(3) for name in ("head", "layer") for time in page.switch_times(name)]
    assert statistics.median(switches) < BUDGET


@pytest.mark.parametrize("view", ["lines", "matrix"])
def test_hover_and_head_switch_in_a_file(opened: Opener, view: str) -> None:
    """64 × 64 tokens, 6 layers × 8 heads of three kinds."""
    tokens = tuple(f"word{n}" for n in range(WORDS + 1))
    names = [
        f"{part}.{n}.{kind}"
        for part, kind in (("encoder", "self"), ("decoder", "self"), ("decoder", "cross"))
        for n in range(6)
    ]
    layers = [attended(name, heads=8, queries=tokens, keys=tokens, seed=n) for n, name in enumerate(names)]
    check(opened(layers, f"view={view}"))


@pytest.mark.parametrize("view", ["lines", "matrix"])
def test_hover_and_head_switch_of_a_run(explorer: ExplorerPage, view: str) -> None:
    text = " ".join(["red circle"] * (WORDS // 2) + ["star"])
    target = " ".join(["cercle rouge"] * (WORDS // 2) + ["étoile"])
    explorer.open(urlencode({"run": "deep", "text": text, "target": target, "layer": "decoder.4.cross", "view": view}))
    label = explorer.look.root.locator("canvas.figure").get_attribute("aria-label") or ""
    assert "64 queries, 64 keys" in label
    check(explorer.look)


def test_the_first_paint(explorer: ExplorerPage) -> None:
    """With a text to be answered meanwhile."""
    assert 0 < first_paint(explorer) < FIRST_PAINT


def first_paint(explorer: ExplorerPage) -> float:
    explorer.open()
    found: float = explorer.tab.evaluate(
        """() => new Promise((resolve) => {
          const found = (list) => resolve(list.getEntriesByName("first-contentful-paint")[0].startTime);
          new PerformanceObserver(found).observe({ type: "paint", buffered: true });
        })"""
    )
    return found
