from dataclasses import replace
from pathlib import Path

from compare.parts import NAMES, comparison_of, measured, sentences
from saccade.compare.page import page, spread
from saccade.compare.picture import save
from view.pages import parse

PAIRS = sentences()


def test_the_page_has_table_picture_and_the_same_sentences_and_loads_nothing(tmp_path: Path) -> None:
    systems = [measured(name, PAIRS, wrong=6 + 3 * place) for place, name in enumerate(NAMES)]
    found = replace(comparison_of(*systems), command="saccade compare '<b>'")
    save(found, tmp_path / "a.svg")
    html = page(found, tmp_path / "a.svg")
    parsed = parse(html)
    texts = " ".join(parsed.texts)
    for name in NAMES:
        assert texts.count(name) >= 7 + 1  # in the table, the settings, and under each of six sentences
    assert "saccade compare '<b>'" in texts
    assert "b" not in parsed.tags
    [source] = [value for tag, name, value in parsed.attributes if tag == "img" and name == "src"]
    assert source.startswith("data:image/svg+xml;base64,")
    [policy] = [value for tag, _, value in parsed.attributes if tag == "meta" and "default-src" in value]
    assert "img-src data:" in policy
    assert found.rows[0].system.bleu.signature in texts
    assert "mark" in parsed.tags


def test_where_systems_look_is_drawn_if_there_is_a_picture_of_it(tmp_path: Path) -> None:
    found = comparison_of(measured("rnn-dot", PAIRS, wrong=9))
    save(found, tmp_path / "a.svg")
    assert page(found, tmp_path / "a.svg").count("<img") == 1
    with_looks = page(found, tmp_path / "a.svg", tmp_path / "a.svg")
    assert with_looks.count("<img") == 2
    assert "Where each system looks" in parse(with_looks).texts


def test_sentences_are_taken_from_short_to_long() -> None:
    found = comparison_of(measured("rnn-dot", PAIRS, wrong=9))
    words = [len(PAIRS[row].source.split()) for row in spread(found)]
    assert len(words) == 6
    assert words == sorted(words)
    assert words[0] == min(len(pair.source.split()) for pair in PAIRS)
    assert words[-1] == max(len(pair.source.split()) for pair in PAIRS)
