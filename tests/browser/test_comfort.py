"""Keyboard, light and dark, a phone, and whoever reads with ears or weak eyes: the whole page, in every mode."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser.pages import ExplorerPage
from browser.runs import SENTENCE
from captioners import pictures_in
from serve.service import Service

CROSS = "decoder.1.cross"
MODES = ("look", "calculate", "change", "beside")
PHONE = 390

# Of every text that can be seen: how much its colour stands out from what lies under it.
CONTRASTS = """() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
  };
  const over = ([red, green, blue, alpha], under) =>
    [red, green, blue].map((part, place) => part * alpha + under[place] * (1 - alpha));
  const light = (rgb) => {
    const [red, green, blue] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const around = (one) => (one ? [...around(one.parentElement), one] : []);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    const seen = one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!texts.currentNode.data.trim() || !seen || one.closest("option, :disabled")) continue;
    const all = around(one);
    const ground = all.reduce((under, each) => over(rgba(getComputedStyle(each).backgroundColor), under), [1, 1, 1]);
    const opacity = all.reduce((product, each) => product * Number(getComputedStyle(each).opacity), 1);
    const [red, green, blue, alpha] = rgba(getComputedStyle(one).color);
    const [low, high] = [light(ground), light(over([red, green, blue, alpha * opacity], ground))].sort((a, b) => a - b);
    found.push([texts.currentNode.data, (high + 0.05) / (low + 0.05)]);
  }
  return found;
}"""

# What has the focus, and whether that can be seen: on itself, or on what stands for a hidden input.
FOCUS = """() => {
  const one = document.activeElement;
  const shown = one.matches(".choices input") ? one.nextElementSibling : one;
  const style = getComputedStyle(shown);
  const name = one.closest("[data-choice]")?.dataset.choice ?? one.closest("label")?.querySelector("span").textContent;
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return [name ?? (one.className.split(" ").includes("stage") ? "stage" : one.textContent), ring];
}"""


def opened(explorer: ExplorerPage, mode: str, **more: object) -> ExplorerPage:
    given = {"run": "translator", "text": SENTENCE, "layer": CROSS, "head": 1, "mode": mode, "query": 2, "key": 1}
    if mode == "change":
        given["edit"] = f"{CROSS}~1~*~*~w0"
    if mode == "beside":
        given |= {"run-2": "rnn", "text-2": SENTENCE}
    explorer.open(urlencode(given | more))
    explorer.tab.wait_for_load_state("networkidle")
    return explorer


def test_the_focus_goes_from_top_to_bottom(explorer: ExplorerPage, tab: Page) -> None:
    opened(explorer, "look")
    passed = []
    for _ in range(13):
        tab.keyboard.press("Tab")
        name, ring = tab.evaluate(FOCUS)
        assert ring, f"{name} has the focus, and nobody sees it"
        passed.append(name)
    asking = ["mode", "◐ Auto", "Run", "Text", "Make it write"]
    assert passed == [*asking, "attention", "layer", "head", "view", "stage", "PNG", "SVG", "JSON"]


def test_everything_without_a_mouse(explorer: ExplorerPage, tab: Page, service: Service) -> None:
    opened(explorer, "look")
    text = "two big dogs"
    for _ in range(4):
        tab.keyboard.press("Tab")
    tab.keyboard.press("Control+a")
    tab.keyboard.type(text)
    with tab.expect_response("**/v1/attention"):
        tab.keyboard.press("Enter")
    explorer.settle()
    expect(explorer.output()).to_have_text(service.models["translator"].run.look(text).target or "")
    explorer.look.press("ArrowUp", "ArrowLeft", "j")
    assert explorer.look.caption == "Decoder layer 0, cross-attention, head 0 of 2"
    assert " looks at " in explorer.look.readout
    tab.get_by_role("radio", name="Look", exact=True).focus()
    tab.keyboard.press("ArrowRight")
    expect(explorer.calculation.first).to_be_visible()
    explorer.calculation.nth(1).get_by_role("button").focus()
    tab.keyboard.press("Enter")
    expect(explorer.calculation.nth(1)).to_have_class("picked")
    tab.get_by_role("radio", name="Calculator", exact=True).focus()
    tab.keyboard.press("ArrowRight")
    tab.get_by_role("button", name="Switch off head 0").focus()
    tab.keyboard.press("Enter")
    expect(explorer.edits).to_have_count(1)


@pytest.mark.parametrize("mode", MODES)
def test_every_control_has_a_name(explorer: ExplorerPage, tab: Page, context: BrowserContext, mode: str) -> None:
    """The tree that a screen reader reads."""
    opened(explorer, mode)
    nodes = context.new_cdp_session(tab).send("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "textbox", "combobox", "radio", "slider", "link", "image", "main"}
    found: list[tuple[str, str]] = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in roles
    ]
    assert {"button", "textbox", "combobox", "radio", "main"} <= {role for role, _ in found}
    silent = [role for role, name in found if not name.strip() and role != "main"]
    assert silent == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(explorer: ExplorerPage, tab: Page, mode: str, scheme: Any) -> None:
    tab.emulate_media(color_scheme=scheme)
    opened(explorer, mode)
    found = tab.evaluate(CONTRASTS)
    assert len(found) > 30
    assert [(text, round(ratio, 2)) for text, ratio in found if ratio < 4.5] == []


def test_light_and_dark_by_the_switch(explorer: ExplorerPage, tab: Page) -> None:
    opened(explorer, "look", view="matrix")
    auto = explorer.look.pixels()
    tab.get_by_role("button", name="Auto").click()
    tab.get_by_role("button", name="Light").click()
    tab.mouse.move(2, 2)
    dark = explorer.look.pixels()
    assert dark != auto
    tab.reload()
    explorer.look.root.wait_for()
    tab.wait_for_load_state("networkidle")
    expect(tab.get_by_role("button", name="Dark")).to_be_visible()
    assert explorer.look.shows(dark), "the choice is kept"
    tab.get_by_role("button", name="Dark").click()
    tab.emulate_media(color_scheme="dark")
    tab.mouse.move(2, 2)
    assert explorer.look.shows(dark), "as the system has it"


@pytest.mark.parametrize("mode", MODES)
def test_on_a_phone(explorer: ExplorerPage, tab: Page, mode: str) -> None:
    tab.set_viewport_size({"width": PHONE, "height": 844})
    opened(explorer, mode)
    for view in ("Lines", "Matrix", "Grid") if mode == "look" else ("",):
        if view:
            explorer.look.choose("view", view)
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE
    small = tab.evaluate(
        """() => [...document.querySelectorAll("button, select, input:not(.choices input), .choices span")]
          .filter((one) => one.checkVisibility())
          .map((one) => [one.textContent || one.type, one.getBoundingClientRect()])
          .filter(([, box]) => box.width < 24 || box.height < 24)
          .map(([text]) => text)"""
    )
    assert small == [], "a finger needs 24 pixels"
    letters = tab.evaluate(
        """() => [...document.querySelectorAll("textarea, select, .ask input")].filter((one) => one.checkVisibility())
          .map((one) => parseFloat(getComputedStyle(one).fontSize))"""
    )
    assert min(letters) >= 16, "a phone enlarges the page around smaller ones"


def test_a_picture_on_a_phone(explorer: ExplorerPage, tab: Page, tmp_path: Path) -> None:
    tab.set_viewport_size({"width": PHONE, "height": 844})
    explorer.open()
    explorer.choose_run("caption-soft")
    explorer.choose_picture(Path(pictures_in(tmp_path, 1)[0]))
    expect(explorer.look.root.locator(".picture .word").first).to_be_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE
