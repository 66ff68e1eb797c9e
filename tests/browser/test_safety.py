"""Whatever is written, a text stays a text; and the page takes nothing from anywhere but its service."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from browser.pages import ExplorerPage
from browser.runs import MARKUP, SENTENCE
from serve.service import Service

TEXTS = {
    "markup": "<img src=x onerror=alert(1)> </textarea></script><script>alert(2)</script> <b>&amp; {{7*7}} ${7*7}",
    "right to left": "שלום עולם مرحبا بالعالم",
    "turned around": "a\u202eb\u2066c\u202d red",
    "emoji": "🙂 👩‍👩‍👧 🏳️‍🌈 e\u0301",
    "control characters": "a\x00b \x07 \x1b[31m red\x1b[0m \x7f \u2028 \ufeff \ufffe star",
    "one long word": "x" * 200,
}
MADE = "main :is(script, iframe, object, embed, svg, style, img[src='x'], [onerror], [onclick])"


@pytest.mark.parametrize("mode", ["look", "calculate", "change", "beside"])
@pytest.mark.parametrize("kind", TEXTS)
def test_texts_stay_texts(explorer: ExplorerPage, tab: Page, kind: str, mode: str) -> None:
    """Read, made to be written, in the address, in the table, in the calculator, among the changes."""
    text = TEXTS[kind]
    given = {"run": "rnn", "text": text, "target": text, "mode": mode, "query": 1, "key": 1, "view": "lines"}
    edited = {"edit": "decoder.0.cross~*~1~1~w0"} if mode == "change" else {}
    explorer.open(urlencode(given | edited))
    assert explorer.field().input_value() == text
    output = tab.locator(".change .output").last if mode == "change" else explorer.output()
    expect(output).to_have_text(text)
    if mode in ("look", "change"):
        explorer.look.root.locator("summary").click()
        rows = explorer.look.root.locator(".as-table tbody tr")
        expect(rows.nth(1)).to_be_attached()  # drawn when the table is opened, not while it is clicked
        explorer.look.choose("view", "Matrix")
        explorer.look.choose("view", "Grid")
    if mode == "calculate":
        expect(explorer.by_hand.first).to_be_visible()
    if mode == "beside":
        expect(explorer.output(1)).to_have_text(text)
    assert tab.locator(MADE).count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1100


@pytest.mark.parametrize("kind", TEXTS)
def test_typed_texts_are_answered_as_offline(explorer: ExplorerPage, tab: Page, service: Service, kind: str) -> None:
    explorer.open("run=rnn")
    explorer.type(TEXTS[kind])
    tab.wait_for_url("**" + urlencode({"text": TEXTS[kind]})[:40].replace("*", "\\*") + "**")
    expect(explorer.output()).to_have_text(service.models["rnn"].run.look(TEXTS[kind]).target or "")
    assert tab.locator(MADE).count() == 0


def test_what_is_written_from_right_to_left_stands_so(explorer: ExplorerPage) -> None:
    text = TEXTS["right to left"]
    explorer.open(urlencode({"run": "rnn", "text": text, "target": text, "view": "lines"}))
    for one in (explorer.field(), explorer.output()):
        assert one.evaluate("one => getComputedStyle(one).direction") == "rtl"
    explorer.look.press("j")
    assert explorer.look.root.locator(".readout bdi").count() == 4, "a token does not pull its number along"


def test_a_run_with_a_name_of_markup(explorer: ExplorerPage, tab: Page) -> None:
    explorer.open()
    explorer.choose_run(MARKUP)
    expect(explorer.pane()).to_contain_text("gpt-mini, ")
    expect(explorer.output()).not_to_be_empty()
    tab.wait_for_url("**run=%3Cimg**")
    explorer.open(tab.url.partition("#")[2])
    expect(explorer.pane().get_by_role("combobox")).to_have_value(MARKUP)
    assert tab.locator(MADE).count() == 0


def test_a_hostile_link_opens_what_is_there(explorer: ExplorerPage, tab: Page) -> None:
    explorer.open(
        urlencode(
            dict.fromkeys(("run", "layer", "view", "mode", "query", "key", "edit", "picture", "to"), f"{MARKUP}!")
        )
    )
    expect(explorer.pane().get_by_role("combobox")).to_have_value("translator")
    expect(explorer.output()).not_to_be_empty()
    assert tab.locator(MADE).count() == 0


def test_nothing_else_is_run_or_fetched(explorer: ExplorerPage, tab: Page, wrong: list[str]) -> None:
    """The policy holds even for whoever could write into the page."""
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    explorer.open(urlencode({"run": "translator", "text": SENTENCE}))
    assert all(url.startswith((explorer.address, "data:", "about:")) for url in asked), asked
    refused = tab.evaluate(
        """async () => {
          const refused = [];
          document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.ran = true";
          const styled = document.createElement("p");
          styled.setAttribute("style", "color: red");
          const handler = document.createElement("img");
          handler.setAttribute("onerror", "window.ran = true");
          handler.src = "data:,";
          const frame = document.createElement("iframe");
          frame.src = "http://127.0.0.1:9/";
          document.body.append(script, styled, handler, frame);
          await fetch("http://127.0.0.1:9/").catch(() => null);
          await new Promise((resolve) => setTimeout(resolve, 200));
          return [window.ran === undefined, refused.sort()];
        }"""
    )
    directives = ["connect-src", "frame-src", "script-src-attr", "script-src-elem", "style-src-attr"]
    assert refused == [True, directives]
    assert all("Content Security Policy" in one for one in wrong), wrong
    wrong.clear()
