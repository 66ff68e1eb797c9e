"""The component of the explorer on a single-file page, in a real browser."""

import json
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import Page

from browser.conftest import Opener
from saccade.attention.seen import Attended
from saccade.view.caption_page import caption_page
from saccade.view.page import Pictured
from view.captions import captioned, grid, picture
from view.pages import ENGLISH, FRENCH, attended

SHARP = "layer=decoder.1.cross&head=2"
HOSTILE = ("<img src=x onerror=alert(1)>", "</script>", "שלום", "مرحبا", "🙂👩‍👩‍👧", "a\u202eb", "&amp;", "x" * 200)


def test_what_is_there_can_be_chosen(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers)
    assert page.options("attention") == ["Encoder self", "Cross"]
    assert page.options("head") == ["mean", "0", "1", "2", "3"]
    assert page.options("view") == ["Lines", "Matrix", "Grid"]
    assert page.caption == "Decoder layer 0, cross-attention, mean of 4 heads"
    page.choose("attention", "Encoder self")
    page.choose("layer", "1")
    page.choose("head", "3")
    assert page.caption == "Encoder layer 1, self-attention, head 3 of 4"


@pytest.mark.parametrize("view", ["lines", "matrix"])
def test_hover_shows_where_a_word_looks(opened: Opener, layers: list[Attended], view: str) -> None:
    page = opened(layers, f"{SHARP}&view={view}")
    before = page.pixels()
    if view == "lines":
        page.point(FRENCH[2], "looks at")
        assert page.readout.startswith(f"{FRENCH[2]} looks at {ENGLISH[2]} 1.000")
    else:
        page.point(FRENCH[2], "looks at", ENGLISH[2], "with weight")
        assert page.readout == f"{FRENCH[2]} looks at {ENGLISH[2]} with weight 1.000"
    assert page.pixels() != before
    page.tab.mouse.move(2, 2)
    assert page.readout == "Point at a word to see where it looks; click to keep it."
    assert page.shows(before)


def test_hover_over_a_key_shows_who_looks_at_it(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, f"{SHARP}&view=lines")
    page.point(ENGLISH[3], "is looked at by")
    assert page.readout.startswith(f"{ENGLISH[3]} is looked at by {FRENCH[3]} 1.000")


def test_another_head_is_another_picture(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, "layer=decoder.1.cross")
    seen = []
    for head in ("mean", "0", "1", "2", "3"):
        page.choose("head", head)
        seen.append(page.pixels())
    assert all(one != two for one, two in pairwise(seen))


def test_a_click_keeps_a_word_and_then_an_edge(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, f"{SHARP}&view=lines")
    page.click(FRENCH[1], "looks at")
    page.tab.mouse.move(2, 2)
    assert page.readout.startswith(f"{FRENCH[1]} looks at {ENGLISH[1]} 1.000")
    page.click(ENGLISH[4], "is looked at by")
    page.tab.mouse.move(2, 2)
    assert page.readout == f"{FRENCH[1]} looks at {ENGLISH[4]} with weight 0.000"
    page.press("Escape")
    assert page.readout.startswith("Point at a word")


def test_the_matrix_can_be_enlarged_and_moved(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, f"{SHARP}&view=matrix")
    whole = page.pixels()
    page.root.get_by_role("button", name="Enlarge").click()
    near = page.pixels()
    assert near != whole
    page.point("looks at", "with weight")
    page.tab.mouse.down()
    page.tab.mouse.move(700, 700, steps=4)
    page.tab.mouse.up()
    page.tab.mouse.move(2, 2)
    assert page.pixels() != near
    assert page.readout.startswith("Point at a word"), "a drag is not a click"
    page.root.get_by_role("button", name="Whole matrix").click()
    page.tab.mouse.move(2, 2)
    page.stage.blur()
    assert (
        page.root.locator("canvas.figure").evaluate("one => one.closest('.attention').classList.contains('zoomed')")
        is False
    )


def test_the_wheel_zooms_only_with_control(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, f"{SHARP}&view=matrix")
    zoomed = page.tab.locator(".attention.zoomed")
    page.point("looks at", "with weight")
    page.tab.mouse.wheel(0, -200)
    assert zoomed.count() == 0
    page.tab.keyboard.down("Control")
    page.tab.mouse.wheel(0, -200)
    page.tab.keyboard.up("Control")
    zoomed.wait_for(timeout=2000)


def test_the_grid_opens_a_head(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, "view=matrix")
    page.choose("view", "Grid")
    thumbs = page.root.locator(".thumb")
    assert thumbs.count() == 4 * 5
    page.root.get_by_role("button", name="Encoder layer 1, self-attention, head 2 of 4").click()
    assert page.caption == "Encoder layer 1, self-attention, head 2 of 4"
    assert page.chosen("view") == "Matrix"


def test_everything_by_keyboard(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, "layer=decoder.0.cross&view=lines")
    page.press("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight")
    assert page.caption == "Decoder layer 1, cross-attention, head 2 of 4"
    page.press("j", "j", "j", "k")
    assert page.readout.startswith(f"{FRENCH[1]} looks at {ENGLISH[1]} 1.000")
    page.choose("view", "Matrix")
    page.press("+")
    assert page.tab.locator(".attention.zoomed").count() == 1
    page.press("0", "Escape")
    assert page.tab.locator(".attention.zoomed").count() == 0


def test_the_focus_goes_from_top_to_bottom(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, "view=lines")
    named = """(() => {
      const one = document.activeElement;
      return one.closest("[data-choice]")?.dataset.choice ?? (one.className || one.textContent);
    })()"""
    passed = []
    for _ in range(9):
        page.tab.keyboard.press("Tab")
        passed.append(page.tab.evaluate(named))
    assert passed == ["attention", "layer", "head", "view", "stage", "PNG", "SVG", "JSON", "Copy link"]


def test_a_link_opens_the_same_state(opened: Opener, layers: list[Attended], tab: Page) -> None:
    page = opened(layers, f"{SHARP}&view=matrix")
    page.click(FRENCH[3], "looks at", ENGLISH[3], "with weight")
    page.tab.mouse.move(2, 2)
    tab.wait_for_url("**query=3&key=3")
    seen, address = page.pixels(), tab.url
    tab.goto("about:blank")
    tab.goto(address)
    assert page.caption == "Decoder layer 1, cross-attention, head 2 of 4"
    assert page.chosen("view") == "Matrix"
    assert page.readout == f"{FRENCH[3]} looks at {ENGLISH[3]} with weight 1.000"
    assert page.shows(seen)


@pytest.mark.parametrize("state", ["layer=nothing&head=99&view=evil&query=77&key=-1", "%%%&layer=<script>", "head=1e9"])
def test_a_link_that_fits_nothing_opens_what_is_there(opened: Opener, layers: list[Attended], state: str) -> None:
    page = opened(layers, state)
    assert page.caption == "Decoder layer 0, cross-attention, mean of 4 heads"


def test_downloads(opened: Opener, layers: list[Attended], tmp_path: Path) -> None:
    page = opened(layers, f"{SHARP}&view=matrix")
    image = Image.open(page.download("PNG", tmp_path))
    assert min(image.size) > 300
    assert len(np.unique(np.asarray(image.convert("L")))) > 20
    file = page.download("SVG", tmp_path)
    assert file.name == "attention-decoder.1.cross-head-2-matrix.svg"
    drawn = ElementTree.parse(file).getroot()
    texts = {one.text for one in drawn.iter() if one.tag.endswith("text")}
    assert {*FRENCH, *ENGLISH} <= texts
    page.choose("view", "Lines")
    lines = ElementTree.parse(page.download("SVG", tmp_path)).getroot()
    assert sum(one.tag.endswith("path") for one in lines.iter()) == len(ENGLISH)
    data = json.loads(page.download("JSON", tmp_path).read_text(encoding="utf-8"))
    assert (data["layer"], data["head"]) == ("decoder.1.cross", 2)
    assert (tuple(data["queries"]), tuple(data["keys"])) == (FRENCH, ENGLISH)
    np.testing.assert_allclose(data["weights"], layers[3].weights_HQK[2].numpy(), atol=1e-4)


def test_the_grid_is_downloaded_whole(opened: Opener, layers: list[Attended], tmp_path: Path) -> None:
    page = opened(layers, "view=grid")
    drawn = ElementTree.parse(page.download("SVG", tmp_path)).getroot()
    texts = [one.text for one in drawn.iter() if one.tag.endswith("text")]
    assert {"Encoder self-attention", "Cross-attention", "All layers and heads"} <= set(texts)
    assert texts.count("mean") == 2
    image = Image.open(page.download("PNG", tmp_path))
    assert (tmp_path / "attention-all-heads.png").is_file()
    assert min(image.size) > 800


def test_the_strongest_weights_as_a_table(opened: Opener, layers: list[Attended]) -> None:
    page = opened(layers, SHARP)
    page.root.locator("summary").click()
    rows = page.root.locator(".as-table tbody tr").all_inner_texts()
    assert len(rows) == len(FRENCH)
    assert rows[2].split()[:3] == [FRENCH[2], ENGLISH[2], "1.000"]


@pytest.mark.parametrize("view", ["lines", "matrix", "grid"])
def test_light_and_dark(opened: Opener, layers: list[Attended], view: str) -> None:
    page = opened(layers, f"{SHARP}&view={view}")
    light = page.pixels()
    page.tab.emulate_media(color_scheme="dark")
    dark = page.pixels()
    assert dark != light
    page.tab.emulate_media(color_scheme="light")
    assert page.shows(light)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_the_paper(opened: Opener, layers: list[Attended], scheme: str) -> None:
    page = opened(layers)
    page.tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    colours = page.tab.evaluate(
        """() => Object.fromEntries(["paper", "raised", "ink", "quiet", "accent", "on-accent", "warm"].map((name) => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = `var(--${name})`;
          return [name, getComputedStyle(probe).color.match(/\\d+/g).map(Number)];
        }))"""
    )

    def light(colour: list[int]) -> float:
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in np.array(colour) / 255)
        return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)

    for text, ground in [(t, g) for t in ("ink", "quiet", "accent", "warm") for g in ("paper", "raised")] + [
        ("on-accent", "accent")
    ]:
        low, high = sorted((light(colours[text]), light(colours[ground])))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)


@pytest.mark.parametrize("view", ["lines", "matrix", "grid"])
def test_on_a_phone_nothing_sticks_out(opened: Opener, layers: list[Attended], view: str) -> None:
    page = opened(layers, f"{SHARP}&view={view}")
    page.tab.set_viewport_size({"width": 360, "height": 740})
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 360
    small = page.tab.evaluate(
        """() => [...document.querySelectorAll(".attention :is(button, .choices span)")].filter((one) => {
          const box = one.getBoundingClientRect();
          return box.width && (box.width < 24 || box.height < 24);
        }).length"""
    )
    assert small == 0, "a finger needs 24 pixels"


@pytest.mark.parametrize("view", ["lines", "matrix", "grid"])
def test_hostile_texts_stay_texts(opened: Opener, tab: Page, view: str) -> None:
    layer = attended(queries=HOSTILE, keys=HOSTILE)
    page = opened([layer], f"view={view}", title=HOSTILE[0], source=HOSTILE[0], target=HOSTILE[1])
    assert tab.locator("img[src]").count() == 0
    page.root.locator("summary").click()
    assert page.root.locator(".as-table tbody th").all_inner_texts() == list(HOSTILE)
    if view != "grid":
        page.press("j")
        assert page.readout.startswith(f"{HOSTILE[0]} looks at")


def test_a_picture_is_lit_where_a_word_looked(opened: Opener) -> None:
    words = ("a", "red", "ball")
    weights_HQK = torch.tensor(np.stack([grid(0, 0).ravel(), grid(3, 5).ravel(), grid(0, 5).ravel()])).float()[None]
    keys = tuple(f"{row + 1},{column + 1}" for row in range(4) for column in range(6))
    page = opened([Attended("decoder.0.cross", weights_HQK, words, keys)], picture=Pictured(picture(), 4, 6))
    assert page.options("view") == ["Picture", "Lines", "Matrix", "Grid"]
    assert page.root.locator(".peak").inner_text() == "a looks most at row 1, column 1: 0.900"
    first = page.pixels()
    page.root.get_by_role("button", name="red").hover()
    assert page.root.locator(".peak").inner_text() == "red looks most at row 4, column 6: 0.900"
    assert page.pixels() != first
    page.root.get_by_role("slider", name="Word").press("End")
    assert page.root.locator(".peak").inner_text() == "ball looks most at row 1, column 6: 0.900"
    bright = page.root.locator(".picture canvas").evaluate(
        """(canvas) => {
          const [wide, high] = [canvas.width / 2, canvas.height / 2];
          const sum = (x, y) => canvas.getContext("2d").getImageData(x * wide, y * high, wide, high)
            .data.reduce((one, two) => one + two, 0);
          return [sum(0, 0), sum(1, 0), sum(0, 1), sum(1, 1)];
        }"""
    )
    assert bright.index(max(bright)) == 1


def test_captions_of_a_page_light_their_words(tab: Page, tmp_path: Path) -> None:
    file = tmp_path / "captions.html"
    file.write_text(caption_page([captioned()], title="Captions"), encoding="utf-8")
    tab.goto(file.as_uri())
    word = tab.get_by_role("button", name="ball")
    word.hover()
    assert word.get_attribute("aria-pressed") == "true"
    assert tab.locator(".peak").inner_text() == "ball: largest weight 0.900"
    tab.mouse.move(2, 2)
    assert tab.locator(".peak").inner_text() == ""
