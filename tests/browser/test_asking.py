"""Choosing a run, typing a sentence or dropping a picture: the page against a real service."""

from itertools import takewhile
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from browser.pages import ExplorerPage
from browser.runs import SENTENCE
from captioners import pictures_in
from saccade.serve.keys import Keys
from serve.service import Service, running

SECRET = "0123456789abcdef"
TYPED = "a red star is above a green house"


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    return Path(pictures_in(tmp_path, 1)[0])


@pytest.fixture
def held(tab: Page) -> list[Route]:
    """Requests to look inside, kept back until the test lets them go."""
    routes: list[Route] = []
    tab.route("**/v1/attention", lambda route: routes.append(route))
    return routes


def let_go(held: list[Route]) -> None:
    while held:
        held.pop().continue_()


def test_the_page_opens_with_something_to_look_at(explorer: ExplorerPage, service: Service) -> None:
    explorer.open()
    translator = service.models["translator"]
    assert explorer.field().input_value() == translator.card.example.text
    expect(explorer.output()).to_have_text(translator.run.look(translator.card.example.text).target)
    expect(explorer.pane().get_by_role("combobox")).to_have_value("translator")
    offered = explorer.pane().get_by_role("combobox").locator("option").all_inner_texts()
    assert offered == [one.name for one in service.models]


def test_a_run_is_chosen_and_a_sentence_typed(explorer: ExplorerPage, service: Service) -> None:
    explorer.open()
    explorer.ask(SENTENCE)
    expect(explorer.output()).to_have_text(service.models["translator"].run.look(SENTENCE).target)
    explorer.look.choose("view", "Lines")
    explorer.look.point("squares", "is looked at by")
    explorer.choose_run("rnn")
    assert explorer.field().input_value() == SENTENCE, "what was written by hand stays"
    expect(explorer.output()).to_have_text(service.models["rnn"].run.look(SENTENCE).target)
    expect(explorer.pane()).to_contain_text("rnn-additive, ")
    explorer.choose_run("films")
    expect(explorer.pane()).to_contain_text("It answers")
    explorer.type("a good film number 7")
    expect(explorer.output()).to_have_text("good")


def test_it_asks_by_itself_when_nobody_types_any_more(explorer: ExplorerPage, service: Service) -> None:
    explorer.open()
    explorer.field().fill(TYPED)
    expect(explorer.output()).to_have_text(service.models["translator"].run.look(TYPED).target)


def test_it_is_made_to_write(explorer: ExplorerPage) -> None:
    explorer.open(f"run=translator&text={SENTENCE}&view=lines")
    explorer.field("Make it write").fill("un chien noir")
    expect(explorer.output()).to_have_text("un chien noir")
    expect(explorer.pane()).to_contain_text("It is made to write")
    explorer.look.point("chien", "looks at")


def test_words_appear_as_they_are_made(explorer: ExplorerPage, tab: Page, service: Service, held: list[Route]) -> None:
    tab.goto(f"{explorer.address}#run=gpt")
    explorer.output().evaluate(
        """(output) => {
          window.told = [];
          const keep = (records) => records.forEach((one) => one.addedNodes.forEach((node) => told.push(node.data)));
          new MutationObserver(keep).observe(output, { childList: true });
        }"""
    )
    explorer.type("the red star")
    said = service.post("/v1/completions", model="gpt", prompt="the red star", max_tokens=16, temperature=0).json()
    expect(explorer.output()).to_have_text(said["choices"][0]["text"])
    told: list[str] = tab.evaluate("told")
    parts = list(takewhile(told[-1].startswith, reversed(told)))
    assert len(set(parts)) >= 3, told
    assert sorted(parts, key=len, reverse=True) == parts
    assert explorer.pane().get_attribute("aria-busy") == "true", "what it looked at is still to come"
    let_go(held)
    explorer.look.root.wait_for()
    expect(explorer.output()).to_have_text(said["choices"][0]["text"])


def test_a_translation_stands_before_the_attention_comes(
    explorer: ExplorerPage, tab: Page, service: Service, held: list[Route]
) -> None:
    tab.goto(f"{explorer.address}#run=translator&text={SENTENCE}")
    expect(explorer.output()).to_have_text(service.models["translator"].run.look(SENTENCE).target)
    assert explorer.look.root.count() == 0
    let_go(held)
    explorer.look.root.wait_for()


def test_a_picture_is_dropped(explorer: ExplorerPage, tab: Page, service: Service, picture: Path) -> None:
    explorer.open()
    explorer.choose_run("caption-soft")
    expect(explorer.field()).to_be_hidden()
    expect(explorer.look.root).to_have_count(0)
    expect(explorer.output()).to_be_hidden()
    explorer.drop(picture)
    expect(explorer.output()).to_have_text(service.models["caption-soft"].run.look(str(picture)).target)
    assert explorer.look.chosen("view") == "Picture"
    tab.wait_for_url("**picture=data*")
    other = ExplorerPage(tab, tab.url.partition("#")[0])
    other.open(tab.url.partition("#")[2])
    expect(other.output()).to_have_text(service.models["caption-soft"].run.look(str(picture)).target)


def test_a_picture_is_chosen(explorer: ExplorerPage, service: Service, picture: Path) -> None:
    explorer.open()
    explorer.choose_run("caption-soft")
    explorer.choose_picture(picture)
    expect(explorer.output()).to_have_text(service.models["caption-soft"].run.look(str(picture)).target)


def test_a_file_that_is_no_picture(explorer: ExplorerPage, wrong: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.png").write_text("no picture")
    explorer.open()
    explorer.choose_run("caption-soft")
    explorer.drop(tmp_path / "notes.png")
    expect(explorer.problem).to_contain_text("picture")
    assert_refused(wrong, 422)


def test_a_text_that_is_too_long(explorer: ExplorerPage, wrong: list[str], service: Service) -> None:
    """Ten thousand words: the page says why not, and goes on with the next text."""
    explorer.open(f"run=translator&text={SENTENCE}")
    explorer.type("word " * 10_000)
    expect(explorer.problem).to_contain_text("256")
    assert explorer.look.caption, "what was there stays"
    explorer.type(TYPED)
    expect(explorer.output()).to_have_text(service.models["translator"].run.look(TYPED).target)
    expect(explorer.problem).to_have_count(0)
    assert_refused(wrong, 422)


def test_a_service_that_is_gone(explorer: ExplorerPage, tab: Page, wrong: list[str]) -> None:
    explorer.open()
    tab.route("**/v1/*", lambda route: route.abort())
    explorer.type(TYPED)
    expect(explorer.problem).to_have_text("The service does not answer.")
    assert wrong
    wrong.clear()


def test_a_service_with_a_key(tab: Page, wrong: list[str], runs: dict[str, Path]) -> None:
    with running([runs["gpt"]], keys=Keys((SECRET,))) as locked:
        tab.goto(locked.url)
        key = tab.get_by_label("API key")
        key.fill("wrong")
        tab.get_by_role("button", name="Use").click()
        expect(key).to_have_value("")
        key.fill(SECRET)
        tab.get_by_role("button", name="Use").click()
        page = ExplorerPage(tab, f"{locked.url}/")
        page.look.root.wait_for()
    assert_refused(wrong, 401)


def assert_refused(wrong: list[str], status: int) -> None:
    """The browser itself notes an answer that is a refusal: that and nothing else."""
    assert wrong
    assert all(f"status of {status}" in one for one in wrong), wrong
    wrong.clear()
