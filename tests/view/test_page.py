import base64
import io
import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from saccade.attention.seen import Attended
from saccade.errors import ModelError
from saccade.view.document import static_text
from saccade.view.page import Pictured, attention_section, page
from view.pages import ENGLISH, FRENCH, Parsed, attended, parse

ATTACKS = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!--",
    "-->",
    "\u2028",
    '"onload="x',
    "&lt;b&gt;",
    "$title",
    "'; alert(1); '",
)


def layers_in(html: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads("".join(parse(html).data_scripts))["layers"]
    return found


def decoded(layer: dict[str, Any]) -> np.ndarray:
    steps = np.frombuffer(base64.b64decode(layer["weights"]), dtype="<u2")
    return steps.reshape(layer["heads"], len(layer["queries"]), len(layer["keys"])) / 65535 * layer["scale"]


def made(layers: list[Attended], text: str = "text") -> str:
    return page(layers, title=text, source=text, target=text)


def outside(parsed: Parsed) -> list[str]:
    loading = {"src", "href", "srcset", "action", "data", "poster", "xlink:href", "formaction", "background"}
    return [value for _, name, value in parsed.attributes if name in loading]


def test_weights_come_back(layers: list[Attended]) -> None:
    packed = layers_in(made(layers))
    assert [layer["name"] for layer in packed] == [seen.layer for seen in layers]
    for layer, seen in zip(packed, layers, strict=True):
        np.testing.assert_allclose(decoded(layer), seen.weights_HQK.numpy(), atol=1e-5)
        assert tuple(layer["queries"]) == seen.queries
        assert tuple(layer["keys"]) == seen.keys


def test_edited_weights_above_one_come_back() -> None:
    seen = Attended("decoder.0.cross", torch.tensor([[[2.5, 0.5]]]), ("a",), ("b", "c"))
    np.testing.assert_allclose(decoded(layers_in(made([seen]))[0]), [[[2.5, 0.5]]], atol=1e-4)


def test_layers_in_words() -> None:
    [layer] = layers_in(made([attended("encoder.1.self")]))
    assert layer["words"] == "encoder layer 1, self-attention"
    assert (layer["group"], layer["place"], layer["kind"]) == ("Encoder self-attention", "1", "self")


def test_a_picture_travels_with_its_grid() -> None:
    seen = attended(keys=("1,1", "1,2", "1,3", "2,1", "2,2", "2,3"))
    pixels = np.full((40, 60, 3), (200, 30, 90), np.uint8)
    html = page([seen], title="t", source="s", target="t", picture=Pictured(pixels, rows=2, columns=3))
    found = json.loads("".join(parse(html).data_scripts))["picture"]
    assert (found["rows"], found["columns"]) == (2, 3)
    shown = Image.open(io.BytesIO(base64.b64decode(found["address"].partition(",")[2])))
    np.testing.assert_array_equal(np.asarray(shown.convert("RGB")), pixels)


def test_nothing_comes_from_outside(layers: list[Attended]) -> None:
    html = made(layers)
    parsed = parse(html)
    assert outside(parsed) == []
    assert "link" not in parsed.tags
    assert "iframe" not in parsed.tags
    assert not re.search(r"https?:|//[a-z0-9-]+\.|@import|url\(", html)


def test_no_attribute_holds_script_or_style(layers: list[Attended]) -> None:
    assert not [name for _, name, _ in parse(made(layers)).attributes if name.startswith("on") or name == "style"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_texts_never_become_markup(attack: str) -> None:
    harmless, attacked = (parse(made([attended(queries=(t, t), keys=(t,))], t)) for t in ("harmless", attack))
    assert attacked.tags == harmless.tags
    assert [each[:2] for each in attacked.attributes] == [each[:2] for each in harmless.attributes]
    assert attacked.comments == []
    assert attacked.scripts == harmless.scripts
    assert "".join(attacked.texts).count(attack) == 4
    assert json.loads("".join(attacked.data_scripts))["layers"][0]["queries"] == [attack, attack]


def test_the_script_never_makes_markup_of_texts() -> None:
    for name in ("attention.js", "report.js"):
        script = static_text(name)
        for dangerous in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "fetch(",
        ):
            assert dangerous not in script


def test_the_page_is_small(layers: list[Attended]) -> None:
    html = made(layers)
    assert len(html.encode()) - len("".join(parse(html).data_scripts)) < 60_000


def test_named_for_those_who_do_not_see(layers: list[Attended]) -> None:
    parsed = parse(made(layers))
    labels = {(tag, name) for tag, name, value in parsed.attributes if value}
    assert {("section", "aria-label"), ("html", "lang")} <= labels  # what the script adds is tested in the browser
    assert "noscript" in parsed.tags


def test_source_and_target_are_shown(layers: list[Attended]) -> None:
    text = parse(page(layers, title="A title", source=" ".join(ENGLISH), target=" ".join(FRENCH))).text
    assert "A title Source The European Economic Area was signed . Target la zone économique" in text


def test_the_same_weights_give_the_same_page(layers: list[Attended]) -> None:
    assert made(layers) == made(layers)


def test_no_layers() -> None:
    with pytest.raises(ModelError, match="there is no attention layer to show"):
        attention_section([])
