"""Lines, matrix, grid and picture of real runs: what is read out is what the model computed."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from browser.pages import ExplorerPage
from browser.runs import SENTENCE
from captioners import pictures_in
from saccade.attention import Attended
from serve.service import Service

TEXTS = {"translator": SENTENCE, "rnn": SENTENCE, "gpt": "the red star number", "films": "a good film number 7"}
CLOSE = 2e-3  # three digits are read out


def distinct(tokens: Sequence[str]) -> int:
    """The place of a token that is no part of another, so that the mouse finds it."""
    return next(
        place for place, one in enumerate(tokens) if len(one) > 2 and sum(one in token for token in tokens) == 1
    )


def mean(attended: Attended) -> np.ndarray:
    return attended.weights_HQK.mean(dim=0).numpy()


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("translator", {"Encoder self", "Decoder self", "Cross"}),
        ("rnn", set()),
        ("gpt", set()),
        ("films", set()),
    ],
)
def test_every_kind_of_attention_can_be_looked_at(
    explorer: ExplorerPage, service: Service, name: str, groups: set[str]
) -> None:
    """Encoder, decoder, cross-attention and that of a recurrent network, by the recorder's own names."""
    found = service.models[name].run.look(TEXTS[name])
    for one in found.layers:
        explorer.open(f"run={name}&text={TEXTS[name]}&layer={one.layer}&view=lines")
        query = distinct(one.queries)
        explorer.look.point(one.queries[query], "looks at")
        token, weight = next(iter(explorer.look.told.items()))
        best = int(mean(one)[query].argmax())
        assert (token, weight) == (one.keys[best], pytest.approx(mean(one)[query, best], abs=CLOSE))
        explorer.look.choose("view", "Matrix")
        explorer.look.point(one.queries[query], "looks at", one.keys[best], "with weight")
        assert float(explorer.look.readout.rpartition(" ")[2]) == pytest.approx(mean(one)[query, best], abs=CLOSE)
    assert set(explorer.look.options("attention")) >= groups


def test_who_looks_at_a_word(explorer: ExplorerPage, service: Service) -> None:
    one = service.models["translator"].run.look(SENTENCE)["decoder.1.cross"]
    explorer.open(f"run=translator&text={SENTENCE}&layer=decoder.1.cross&head=1&view=lines")
    explorer.look.point("squares", "is looked at by")
    column = one.weights_HQK[1, :, one.keys.index("squares")]
    token, weight = next(iter(explorer.look.told.items()))
    assert (token, weight) == (one.queries[int(column.argmax())], pytest.approx(float(column.max()), abs=CLOSE))


def test_the_matrix_comes_nearer(explorer: ExplorerPage, tab: Page) -> None:
    explorer.open(f"run=translator&text={SENTENCE}&layer=decoder.1.cross&view=matrix")
    whole = explorer.look.pixels()
    for _ in range(3):
        tab.get_by_role("button", name="Enlarge").click()
    assert explorer.look.pixels() != whole
    explorer.look.point("looks at", "with weight")
    explorer.look.press("0")
    tab.mouse.move(2, 2)
    assert tab.locator(".attention.zoomed").count() == 0


@pytest.mark.parametrize("name", ["translator", "rnn", "gpt", "films"])
def test_all_layers_and_heads_at_once(explorer: ExplorerPage, service: Service, name: str) -> None:
    cards = service.models[name].card.layers
    explorer.open(f"run={name}&text={TEXTS[name]}&view=matrix")
    explorer.look.choose("view", "Grid")
    thumbs = explorer.look.root.locator(".thumb")
    assert thumbs.count() == sum(one.heads + (one.heads > 1) for one in cards)
    thumbs.last.click()
    last = f"head {cards[-1].heads - 1} of {cards[-1].heads}" if cards[-1].heads > 1 else "one head"
    assert explorer.look.caption.endswith(f"-attention, {last}")
    assert explorer.look.chosen("view") == "Matrix"


def test_a_picture_is_lit_word_by_word(explorer: ExplorerPage, tab: Page, service: Service, tmp_path: Path) -> None:
    file = Path(pictures_in(tmp_path, 1)[0])
    explorer.open()
    explorer.choose_run("caption-soft")
    explorer.drop(file)
    (one,) = service.models["caption-soft"].run.look(str(file)).layers
    words = explorer.look.root.locator(".picture .word")
    expect(words).to_have_text(list(one.queries))
    side = math.isqrt(len(one.keys))
    slider, seen = tab.get_by_role("slider", name="Word"), []
    slider.press("Home")
    for place, token in enumerate(one.queries):
        row, column = divmod(int(mean(one)[place].argmax()), side)
        said = explorer.look.root.locator(".peak")
        expect(said).to_contain_text(f"{token} looks most at row {row + 1}, column {column + 1}: ")
        expect(words.nth(place)).to_have_attribute("aria-pressed", "true")
        seen.append(explorer.look.root.locator(".picture .frame").screenshot())
        slider.press("ArrowRight")
    assert len(set(seen)) > 1
    tab.get_by_role("button", name="Play").click()
    expect(words.nth(1)).to_have_attribute("aria-pressed", "true")
    tab.get_by_role("button", name="Stop").click()
    explorer.look.choose("view", "Matrix")
    explorer.look.point(one.queries[0], "looks at", "with weight")
