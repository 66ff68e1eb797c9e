import base64
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from saccade.errors import ModelError
from saccade.view.caption_page import caption_page
from saccade.view.captioned import CaptionedPicture, CaptionLook, WordLook
from view.captions import caption, captioned, grid, picture
from view.pages import Parsed, parse
from view.test_page import ATTACKS


def addresses(parsed: Parsed) -> list[str]:
    return [value for tag, name, value in parsed.attributes if (tag, name) == ("img", "src")]


def test_weights_and_boxes_come_back() -> None:
    html = caption_page([captioned(caption(open_at=2), caption("hard"))], title="Looks")
    soft, hard = json.loads("".join(parse(html).data_scripts))["captions"]
    steps = np.frombuffer(base64.b64decode(soft["weights"]), dtype="<u2")
    weights_QHW = steps.reshape(3, soft["rows"], soft["columns"]) / 65535 * soft["scale"]
    np.testing.assert_allclose(weights_QHW, [look.weights_HW for look in caption().words], atol=1e-5)
    assert soft["words"] == ["a", "red", "ball"]
    assert soft["boxes"] == [[], [], [[0.25, 0.5, 0.75, 1.0]]]
    assert (soft["open"], hard["open"]) == (2, None)


def test_captioners_stand_side_by_side() -> None:
    parsed = parse(caption_page([captioned(caption(), caption("hard"), note="two references")], title="Looks"))
    assert "Looks picture 1 two references soft a red ball hard a red ball" in parsed.text
    assert parsed.tags.count("figure") == parsed.tags.count("canvas") == 2
    assert ("img", "alt", "captioned: a red ball") in parsed.attributes


def test_the_picture_is_in_the_page() -> None:
    flat = np.full((30, 50, 3), (10, 200, 30), dtype=np.uint8)
    [address] = addresses(parse(caption_page([CaptionedPicture("p", flat, (caption(),))], title="t")))
    assert address.startswith("data:image/png;base64,")
    image = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))
    np.testing.assert_array_equal(np.asarray(image), flat)


def test_a_captioner_that_saw_another_square_is_drawn_on_it() -> None:
    own = replace(caption("hard"), pixels_YX3=picture(30, 30, seed=1))
    first, second, third = addresses(parse(caption_page([captioned(caption(), own, caption())], title="t")))
    assert first == third != second
    image = Image.open(io.BytesIO(base64.b64decode(second.partition(",")[2])))
    np.testing.assert_array_equal(np.asarray(image), picture(30, 30, seed=1))


def test_large_pictures_are_made_smaller() -> None:
    [address] = addresses(parse(caption_page([CaptionedPicture("p", picture(600, 900), (caption(),))], title="t")))
    assert address.startswith("data:image/jpeg;base64,")
    assert Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).size == (480, 320)


def test_nothing_comes_from_outside() -> None:
    html = caption_page([captioned()], title="t")
    parsed = parse(html)
    assert all(address.startswith("data:image/") for address in addresses(parsed))
    assert not [name for _, name, _ in parsed.attributes if name.startswith("on") or name == "style"]
    assert not {"link", "iframe"} & set(parsed.tags)
    assert not re.search(r"https?:|//[a-z0-9-]+\.|@import|url\(", re.sub(r"data:image[^\"]*", "", html))


@pytest.mark.parametrize("attack", ATTACKS)
def test_texts_never_become_markup(attack: str) -> None:
    harmless, attacked = (
        parse(caption_page([captioned(caption(text, (text, text)), name=text, note=text)], title=text))
        for text in ("harmless", attack)
    )
    assert attacked.tags == harmless.tags
    assert [each[:2] for each in attacked.attributes] == [each[:2] for each in harmless.attributes]
    assert attacked.comments == []
    assert json.loads("".join(attacked.data_scripts))["captions"][0]["words"] == [attack, attack]


def test_a_caption_without_words() -> None:
    parsed = parse(caption_page([captioned(CaptionLook("soft", ()))], title="t"))
    assert "soft (nothing)" in parsed.text


def test_what_cannot_be_shown() -> None:
    with pytest.raises(ModelError, match="there is no captioned picture to show"):
        caption_page([], title="t")
    mixed = CaptionLook("soft", (WordLook("a", grid(0, 0)), WordLook("dog", grid(0, 0, 3, 3))))
    with pytest.raises(ModelError, match='the words of "a dog" have attention grids of different sizes'):
        caption_page([captioned(mixed)], title="t")
