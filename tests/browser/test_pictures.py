"""A classifier of pictures in the explorer, against a live service."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.pages import ExplorerPage
from saccade.runs import PictureRun, load
from serve.service import Service, running
from tasks.pictures import vit_in


@pytest.fixture(scope="module")
def service(place: Path) -> Iterator[Service]:
    with running([vit_in(place)]) as found:
        yield found


def test_a_picture_is_classified_and_looked_into(explorer: ExplorerPage, tab: Page, place: Path) -> None:
    file = place / "squares-drawn" / "red" / "0.png"
    run = load(place / "squares")
    assert isinstance(run, PictureRun)
    said = run.classify([file])[0].said
    tab.goto(explorer.address)
    explorer.drop(file)
    expect(explorer.output()).to_have_text(said)
    look = explorer.look
    assert look.options("view") == ["Picture", "Lines", "Matrix", "Grid"]
    assert look.caption == "Encoder layer 1, self-attention, mean of 3 heads"

    words, peak = look.root.locator(".picture .word"), look.root.locator(".peak")
    frame = look.root.locator(".picture .frame")
    expect(words).to_have_count(17)
    expect(peak).to_have_text(re.compile(r"^class looks most at row \d, column \d: 0\.\d+$"))
    box = frame.bounding_box()
    assert box is not None
    assert box["width"] == pytest.approx(box["height"], abs=1), "of 24 × 20 pixels the model sees the middle square"
    first = look.pixels()
    frame.click(position={"x": box["width"] * 0.9, "y": box["height"] * 0.3})
    expect(look.root.locator('.word[aria-pressed="true"]')).to_have_text("1,3")
    expect(peak).to_have_text(re.compile("^1,3 looks most at row "))
    assert look.pixels() != first
    look.choose("view", "Matrix")
    look.point("class", "looks at", "2,3", "with weight")

    explorer.enter("Calculator")
    expect(explorer.calculation).to_have_count(17)
    explorer.enter("What if")
    tab.get_by_role("button", name="Switch off head 0").click()
    expect(explorer.edits).to_have_text("encoder.1.self, head 0: switched off×")
    expect(tab.locator(".change .outputs")).to_contain_text(said.split()[0])
    tab.get_by_role("button", name="Undo all").click()
    explorer.enter("Side by side")
    expect(explorer.output(1)).to_have_text(said)
    assert explorer.beside.caption == look.caption
