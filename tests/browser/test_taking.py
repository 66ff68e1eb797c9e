"""What is taken away from the page: links that open the same again, files, and the page that `saccade view` writes."""

import json
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect

from browser.pages import AttentionPage, ExplorerPage, comes_to, still
from browser.runs import SENTENCE
from browser.test_looking import distinct
from captioners import pictures_in
from command import command
from serve.service import Service

CROSS = "decoder.1.cross"


def look(explorer: ExplorerPage) -> None:
    explorer.look.choose("head", "1")
    explorer.look.choose("view", "Matrix")
    explorer.look.press("j", "j", "j")


def calculate(explorer: ExplorerPage) -> None:
    explorer.enter("Calculator")
    expect(explorer.tab.locator(".calculator .formula")).to_be_visible()  # of another query, with a key of its own
    picked = explorer.tab.locator('[data-choice="query"] label').nth(3)
    picked.click()
    expect(explorer.tab.locator(".calculator .formula")).to_contain_text(f"with q of {picked.inner_text()}")


def change(explorer: ExplorerPage) -> None:
    explorer.enter("What if")
    explorer.look.choose("head", "0")
    explorer.tab.get_by_role("button", name="Switch off head 0").click()
    expect(explorer.tab.locator(".change .output")).to_have_count(2)
    explorer.warm(4)
    expect(explorer.tab.locator(".moved tr").first).to_be_visible()
    expect(explorer.edits).to_have_count(2)


def beside(explorer: ExplorerPage) -> None:
    explorer.enter("Side by side")
    explorer.choose_run("rnn", pane=1)
    explorer.ask("a big green star", pane=1)
    explorer.look.choose("view", "Matrix")


@pytest.mark.parametrize("act", [look, calculate, change, beside])
def test_a_link_opens_the_whole_state(
    explorer: ExplorerPage, tab: Page, context: BrowserContext, browser: Browser, service: Service, act: object
) -> None:
    """Somebody else's browser shows the same, to the pixel."""
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=service.url)
    explorer.open()
    explorer.ask(SENTENCE)
    explorer.look.choose("layer", "1")
    act(explorer)  # type: ignore[operator]
    seen = portrait(tab)
    if act is calculate:
        link = tab.url
    else:
        explorer.look.root.get_by_role("button", name="Copy link").click()
        expect(explorer.look.root.get_by_role("status")).to_have_text("Link copied.")
        link = tab.evaluate("navigator.clipboard.readText()")
    others = browser.new_context(viewport=tab.viewport_size)
    other = others.new_page()
    other.goto(link)
    try:
        assert comes_to(lambda: portrait(other), seen)
    finally:
        others.close()


def portrait(tab: Page) -> bytes:
    """The page at rest: nobody points at it, nothing has the focus, nothing is under way."""
    tab.locator(".attention:not(.empty)").first.wait_for(state="attached")
    expect(tab.locator("[aria-busy]")).to_have_count(0)
    tab.wait_for_load_state("networkidle")
    tab.wait_for_timeout(200)  # the address is written a moment later
    tab.mouse.move(2, 2)
    tab.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    return still(lambda: tab.screenshot(full_page=True))


def test_a_link_with_changes_says_which(explorer: ExplorerPage) -> None:
    edits = [f"{CROSS}~1~*~*~w0", "encoder.0.self~*~t2.52", f"{CROSS}~*~2~3~w0"]
    given = {"run": "translator", "text": SENTENCE, "layer": CROSS, "mode": "change", "edit": edits}
    explorer.open(urlencode(given, doseq=True))
    expect(explorer.edits).to_have_count(3)
    expect(explorer.edits.nth(1)).to_contain_text("encoder.0.self, all heads: temperature 2.52")


def test_a_link_with_a_change_that_fits_nothing_opens_the_rest(explorer: ExplorerPage, wrong: list[str]) -> None:
    given = {"run": "translator", "text": SENTENCE, "mode": "change", "edit": "decoder.9.cross~*~*~*~w0"}
    explorer.open(urlencode(given))
    expect(explorer.problem).to_contain_text("decoder.9.cross")
    explorer.tab.get_by_role("button", name="Undo all").click()
    expect(explorer.problem).to_have_count(0)
    assert all("status of 422" in one for one in wrong), wrong
    wrong.clear()


def test_files_of_what_is_shown(explorer: ExplorerPage, service: Service, tmp_path: Path) -> None:
    one = service.models["translator"].run.look(SENTENCE)[CROSS]
    explorer.open(urlencode({"run": "translator", "text": SENTENCE, "layer": CROSS, "head": 1, "view": "matrix"}))
    data = json.loads(explorer.look.download("JSON", tmp_path).read_text(encoding="utf-8"))
    assert (data["layer"], data["head"]) == (CROSS, 1)
    assert (data["queries"], data["keys"]) == (list(one.queries), list(one.keys))
    np.testing.assert_allclose(data["weights"], one.weights_HQK[1].numpy(), atol=1e-4)
    drawn = ElementTree.parse(explorer.look.download("SVG", tmp_path)).getroot()
    assert {*one.queries, *one.keys} <= {text.text for text in drawn.iter() if text.tag.endswith("text")}
    image = Image.open(explorer.look.download("PNG", tmp_path))
    assert len(np.unique(np.asarray(image.convert("L")))) > 20


def test_files_of_a_lit_picture(explorer: ExplorerPage, tmp_path: Path) -> None:
    explorer.open()
    explorer.choose_run("caption-soft")
    explorer.drop(Path(pictures_in(tmp_path, 1)[0]))
    expect(explorer.look.root.locator(".picture .word").first).to_be_visible()
    image = Image.open(explorer.look.download("PNG", tmp_path))
    assert len(np.unique(np.asarray(image.convert("L")))) > 20
    assert ElementTree.parse(explorer.look.download("SVG", tmp_path)).getroot().tag.endswith("svg")


def test_the_file_that_view_writes_shows_the_same(
    explorer: ExplorerPage, tab: Page, service: Service, runs: dict[str, Path], tmp_path: Path
) -> None:
    done = command("view", str(runs["translator"]), SENTENCE, "--output", str(tmp_path / "a.html"))
    assert done.exit_code == 0, done.stderr
    one = service.models["translator"].run.look(SENTENCE)[CROSS]
    word = one.queries[distinct(one.queries)]

    def read(page: AttentionPage) -> list[object]:
        page.point(word, "looks at")
        hovered = page.readout
        tab.mouse.move(2, 2)
        options = [page.options(name) for name in ("attention", "layer", "head", "view")]
        return [page.caption, hovered, *options]

    explorer.open(urlencode({"run": "translator", "text": SENTENCE, "layer": CROSS, "head": 1, "view": "lines"}))
    served = read(explorer.look)
    tab.goto(f"{(tmp_path / 'a.html').as_uri()}#layer={CROSS}&head=1&view=lines")
    assert read(AttentionPage(tab)) == served
