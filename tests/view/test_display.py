import re

import pytest
import torch

from saccade.attention.seen import Attended
from saccade.view.display import translation_html
from view.pages import ENGLISH, FRENCH, attended, parse


def test_texts_and_words() -> None:
    parsed = parse(translation_html("The Area", "la zone", attended()))
    assert parsed.texts[:2] == ["The Area", "la zone"]
    assert set(ENGLISH) | set(FRENCH) <= set(parsed.texts)
    assert ("svg", "aria-label", "decoder layer 2, cross-attention, mean of 4 heads") in parsed.attributes


def test_opacity_is_the_weight_over_the_largest() -> None:
    weights_HQK = torch.tensor([[[0.8, 0.2], [0.4, 0.6]]])
    html = translation_html("a b", "c d", Attended("decoder.0.cross", weights_HQK, ("c", "d"), ("a", "b")))
    assert re.findall(r'fill-opacity="([\d.]+)"', html) == ["1.000", "0.250", "0.500", "0.750"]
    assert "c looks at b: 0.200" in parse(html).texts


def test_without_attention_there_is_no_picture() -> None:
    parsed = parse(translation_html("a", "b", None))
    assert "svg" not in parsed.tags
    assert parsed.texts == ["a", "b"]


@pytest.mark.parametrize("attack", ["<img src=x onerror=alert(1)>", "</svg><script>alert(1)</script>", '"><b>', "&lt;"])
def test_texts_never_become_markup(attack: str) -> None:
    seen = attended(queries=(attack,), keys=(attack,))
    harmless, attacked = (
        parse(translation_html(text, text, attended(queries=(text,), keys=(text,)))) for text in ("harmless", attack)
    )
    assert attacked.tags == harmless.tags
    assert attacked.texts.count(attack) == 4
    assert parse(translation_html("", "", seen)).scripts == []


def test_no_script_and_nothing_from_outside() -> None:
    html = translation_html("a", "b", attended())
    assert "script" not in parse(html).tags
    assert not re.search(r"https?:|url\(|src=|href=", html)
