"""The calculator, what if, and two sides beside each other, with the numbers of real runs."""

import re
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from browser.pages import ExplorerPage
from browser.runs import SENTENCE
from browser.test_looking import CLOSE, distinct, mean
from saccade.attention import Asked, Calculation, Edit, Watch
from saccade.runs import Look
from serve.service import Service

CROSS = "decoder.1.cross"


def state(**given: object) -> str:
    return urlencode({"run": "translator", "text": SENTENCE, "layer": CROSS} | given)


def worked_out(service: Service, name: str, layer: str, head: int, query: int) -> Calculation:
    found = service.models[name].run.look(SENTENCE, asked=Asked((layer,), (), Watch(layer, head, query))).calculation
    assert found is not None
    return found


def changed(service: Service, *edits: Edit) -> Look:
    return service.models["translator"].run.look(SENTENCE, asked=Asked(("*",), edits))


def numbers(text: str) -> list[float]:
    return [float(one.replace("−", "-")) for one in re.findall(r"−?\d+\.\d+", text)]


@pytest.mark.parametrize(("name", "layer", "head"), [("translator", CROSS, 1), ("rnn", None, 0), ("films", None, 1)])
def test_the_calculator_shows_the_numbers_that_the_model_used(
    explorer: ExplorerPage, tab: Page, service: Service, name: str, layer: str | None, head: int
) -> None:
    layer = layer or service.models[name].card.layers[-1].name
    one = worked_out(service, name, layer, head, 2)
    explorer.open(state(run=name, layer=layer, head=head, mode="calculate", query=2))
    expect(explorer.calculation).to_have_count(len(one.keys))
    said = tab.locator(".calculator .formula")
    expect(said).to_contain_text(f"q of {one.query_token}, {len(one.q_D)} numbers wide")
    scaled = one.scaled_K.numpy()
    shifted = np.exp(scaled - (scaled.max() if scaled.max() > 8 else 0))
    steps = [one.raw_K.numpy(), *([scaled] if one.scale not in (None, 1) else []), shifted, one.softmax_K.numpy()]
    shown = [numbers(" ".join(row.locator(".number").all_inner_texts())) for row in explorer.calculation.all()]
    np.testing.assert_allclose(np.array(shown).T, np.stack(steps), atol=0.006)
    foot = numbers(tab.locator(".calculator tfoot").inner_text())
    np.testing.assert_allclose(foot, [shifted.sum(), 1], atol=0.006)
    assert ("tanh" in said.inner_text()) == (one.score == "additive")

    explorer.calculation.nth(0).click()
    expect(tab.locator(".by-hand h3")).to_have_text(f"By hand: {one.query_token} and {one.keys[0]}")
    steps_shown = explorer.by_hand.locator("td.number").all_inner_texts()
    assert numbers(steps_shown[0]) == [pytest.approx(float(one.raw_K[0]), abs=CLOSE)]
    assert numbers(steps_shown[-2]) == [pytest.approx(float(one.softmax_K[0]), abs=CLOSE)]
    np.testing.assert_allclose(numbers(steps_shown[-1]), one.weighted_KV[0, :4].numpy(), atol=0.006)
    tab.locator(".by-hand summary").click()
    _, q, k, v, context = tab.locator(".by-hand .long").all_inner_texts()
    for text, vector in ((q, one.q_D), (k, one.k_KD[0]), (v, one.v_KV[0]), (context, one.context_V)):
        np.testing.assert_allclose(numbers(text), vector.numpy(), atol=0.006)


def test_another_query_is_picked(explorer: ExplorerPage, tab: Page, service: Service) -> None:
    explorer.open(state(mode="calculate", head=0, query=0))
    queries = service.models["translator"].run.look(SENTENCE)[CROSS].queries
    place = distinct(queries)
    tab.locator('[data-choice="query"]').get_by_label(queries[place], exact=True).check()
    expect(tab.locator(".calculator .formula")).to_contain_text(f"with q of {queries[place]}")
    one = worked_out(service, "translator", CROSS, 0, place)
    weights = [numbers(text)[-1] for text in explorer.calculation.locator("td.weight").all_inner_texts()]
    np.testing.assert_allclose(weights, one.softmax_K.numpy(), atol=CLOSE)
    tab.wait_for_url(f"**mode=calculate**query={place}")


def test_a_head_is_switched_off(explorer: ExplorerPage, tab: Page, service: Service) -> None:
    plain = service.models["translator"].run.look(SENTENCE).target
    edit = next(
        edit
        for edit in (Edit(f"decoder.{n}.cross", weights=0.0, head=head) for n in (1, 0) for head in (0, 1))
        if changed(service, edit).target != plain
    )
    after = changed(service, edit).target
    assert plain is not None
    assert after is not None
    explorer.open(state(mode="change", layer=edit.layer, head=edit.head))
    tab.get_by_role("button", name=f"Switch off head {edit.head}").click()
    expect(explorer.edits).to_have_text([f"{edit.layer}, head {edit.head}: switched off×"])
    expect(tab.locator(".change .output")).to_have_text([plain, after])
    assert [*explorer.went.all_inner_texts(), *explorer.came.all_inner_texts()]
    stayed = "one => [...one.childNodes].filter((part) => part.nodeName === '#text').map((part) => part.data).join('')"
    before_stayed, after_stayed = (line.evaluate(stayed).split() for line in tab.locator(".change .output").all())
    assert before_stayed == after_stayed, "what is not marked is in both"
    expect(tab.locator(".moved tr").first).to_be_visible()
    tab.get_by_role("button", name="Undo this change").click()
    expect(explorer.edits).to_have_count(0)
    expect(tab.locator(".change .output")).to_have_count(0)
    explorer.enter("Look")
    expect(explorer.output()).to_have_text(plain)


def test_one_edge_is_cut(explorer: ExplorerPage, tab: Page, service: Service) -> None:
    one = service.models["translator"].run.look(SENTENCE)[CROSS]
    query = distinct(one.queries)
    key = int(mean(one)[query].argmax())
    explorer.open(state(mode="change", view="matrix"))
    expect(tab.get_by_role("button", name="Cut one edge")).to_be_disabled()
    explorer.look.click(one.queries[query], "looks at", one.keys[key], "with weight")
    tab.get_by_role("button", name=f"Cut {one.queries[query]} → {one.keys[key]}").click()
    expect(explorer.edits).to_have_text([f"{CROSS}, all heads: no {one.queries[query]} → {one.keys[key]}×"])
    cut = changed(service, Edit(CROSS, weights=0.0, query=query, key=key))
    expect(tab.locator(".change .output").last).to_have_text(cut.target or "")
    tab.mouse.move(2, 2)
    expect(explorer.look.root.locator(".readout")).to_contain_text("with weight 0.000")
    tab.get_by_role("radio", name="before").check()
    assert numbers(explorer.look.readout)[-1] == pytest.approx(mean(one)[query, key], abs=CLOSE)


def test_the_temperature_of_one_layer(explorer: ExplorerPage, tab: Page, service: Service) -> None:
    layer = "encoder.0.self"
    explorer.open(state(mode="change", layer=layer, head=0, view="lines", query=2))
    explorer.warm(8)
    explorer.settle()
    edit = Edit(layer, temperature=2.52)
    expect(explorer.edits).to_have_text([f"{layer}, all heads: temperature 2.52×"])
    expect(tab.locator(".change .output").last).to_have_text(changed(service, edit).target or "")
    plain = service.models["translator"].run.look(SENTENCE)[layer].weights_HQK[0, 2]
    flat = changed(service, edit)[layer].weights_HQK[0, 2]
    assert float(flat.max()) < float(plain.max())
    assert next(iter(explorer.look.told.values())) == pytest.approx(float(flat.max()), abs=CLOSE)
    tab.get_by_role("radio", name="difference").check()
    moved = (flat - plain).abs()
    assert abs(next(iter(explorer.look.told.values()))) == pytest.approx(float(moved.max()), abs=CLOSE)
    explorer.warm(-8)
    expect(explorer.edits).to_have_count(0)


def test_changes_add_up_and_are_told_in_every_mode(explorer: ExplorerPage, tab: Page, service: Service) -> None:
    explorer.open(state(mode="change", head=0))
    tab.get_by_role("button", name="Switch off head 0").click()
    explorer.look.choose("head", "1")
    tab.get_by_role("button", name="Switch off head 1").click()
    expect(explorer.edits).to_have_count(2)
    both = changed(service, Edit(CROSS, weights=0.0, head=0), Edit(CROSS, weights=0.0, head=1)).target
    expect(tab.locator(".change .output").last).to_have_text(both or "")
    explorer.enter("Look")
    expect(tab.locator(".pane").first.locator(".said")).to_contain_text("It writes, with 2 changes")
    explorer.enter("What if")
    tab.get_by_role("button", name="Undo all").click()
    expect(explorer.edits).to_have_count(0)


def test_two_inputs_beside_each_other(explorer: ExplorerPage, tab: Page, service: Service) -> None:
    explorer.open(state(view="lines", layer="encoder.0.self"))
    explorer.enter("Side by side")
    other = SENTENCE.replace("small", "big")
    explorer.ask(other, pane=1)
    expect(explorer.output(1)).to_have_text(service.models["translator"].run.look(other).target or "")
    explorer.look.point("circle", "looks at")
    assert explorer.beside.readout.startswith("circle looks at ")
    explorer.look.point("small", "looks at")
    assert explorer.beside.readout.startswith("big looks at "), "what stands in the same gap is pointed at too"
    explorer.look.choose("head", "1")
    expect(explorer.beside.root.locator(".caption")).to_have_text("Encoder layer 0, self-attention, head 1 of 2")
    explorer.beside.point("squares", "is looked at by")
    assert explorer.look.readout.startswith("squares is looked at by ")


def test_two_runs_beside_each_other(explorer: ExplorerPage, service: Service) -> None:
    target = service.models["translator"].run.look(SENTENCE).target or ""
    explorer.open(
        state(mode="beside", view="lines", target=target, **{"run-2": "rnn", "text-2": SENTENCE, "target-2": target})
    )
    expect(explorer.output(1)).to_have_text(target)
    expect(explorer.beside.root.locator(".caption")).to_contain_text("cross-attention, one head")
    found = service.models["rnn"].run.look(SENTENCE, target).layers[-1]
    place = distinct(found.queries)
    explorer.look.point(found.queries[place], "looks at")
    assert explorer.beside.readout.startswith(f"{found.queries[place]} looks at ")
    token, weight = next(iter(explorer.beside.told.items()))
    best = int(mean(found)[place].argmax())
    assert (token, weight) == (found.keys[best], pytest.approx(mean(found)[place, best], abs=CLOSE))
    explorer.look.choose("view", "Matrix")
    assert explorer.beside.chosen("view") == "Matrix"
