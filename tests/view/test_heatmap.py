import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import torch
from PIL import Image

from saccade.attention.seen import Attended
from saccade.errors import ModelError
from saccade.view.heatmap import draw, grid, save, save_figure
from view.pages import ENGLISH, FRENCH, attended


def svg_texts(path: Path) -> list[str]:
    return ["".join(element.itertext()).strip() for element in ET.parse(path).iter() if element.tag.endswith("}text")]


def test_svg_holds_every_word_and_the_title(tmp_path: Path) -> None:
    save(attended(), tmp_path / "a.svg")
    texts = svg_texts(tmp_path / "a.svg")
    assert set(ENGLISH) | set(FRENCH) <= set(texts)
    assert "Decoder layer 2, cross-attention, mean of 4 heads" in texts


def test_title_names_the_head() -> None:
    assert "Decoder layer 2, cross-attention, head 1 of 4" in [
        text.get_text() for text in draw(attended(), head=1).texts
    ]


def test_svg_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        save(attended(), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    save(attended(seed=1), tmp_path / "c.svg")
    assert (tmp_path / "a.svg").read_bytes() != (tmp_path / "c.svg").read_bytes()


def test_markup_and_mathematics_stay_text(tmp_path: Path) -> None:
    odd = ("<script>", "&amp;", "$x_1$", "$", "\\frac", "]]>", "\x00")
    save(attended(queries=odd, keys=odd), tmp_path / "a.svg")
    texts = svg_texts(tmp_path / "a.svg")
    for token in odd[:-1]:
        assert texts.count(token) == 2
    assert texts.count("\ufffd") == 2


def test_png_shows_the_weights_where_they_are(tmp_path: Path) -> None:
    words = ("a", "b", "c", "d")
    weights_HQK = torch.zeros(1, 4, 4)
    for query, key in enumerate((1, 0, 3, 2)):
        weights_HQK[0, query, key] = 1.0
    seen = Attended("decoder.0.cross", weights_HQK, words, words)
    save(seen, tmp_path / "a.PNG")
    picture = Image.open(tmp_path / "a.PNG")
    assert picture.format == "PNG"
    pixels = np.asarray(picture.convert("L"), dtype=float)
    box = draw(seen).axes[0].get_position()
    height, width = pixels.shape
    darkness = np.empty((4, 4))
    for query in range(4):
        for key in range(4):
            x = (box.x0 + (key + 0.5) / 4 * box.width) * width
            y = (1 - box.y1 + (query + 0.5) / 4 * box.height) * height
            darkness[query, key] = 255 - pixels[int(y), int(x)]
    np.testing.assert_array_equal(darkness > 128, weights_HQK[0].numpy() == 1)
    assert (darkness[weights_HQK[0].numpy() == 0] < 3).all()


@pytest.mark.parametrize("tokens", [1, 15, 60])
def test_cells_are_square_and_words_do_not_overlap(tokens: int) -> None:
    words = tuple(f"parole{number}" for number in range(tokens))
    figure = draw(attended(queries=words, keys=words))
    figure.draw_without_rendering()
    matrix = figure.axes[0].get_window_extent()
    assert matrix.width == pytest.approx(matrix.height, rel=1e-6)
    rows = sorted(text.get_window_extent().y0 for text in figure.axes[0].texts[tokens:])
    tallest = max(text.get_window_extent().height for text in figure.axes[0].texts[tokens:])
    assert all(above - below >= tallest * 0.95 for below, above in pairwise(rows))
    page = figure.bbox
    for text in (*figure.axes[0].texts, *figure.texts):
        extent = text.get_window_extent()
        assert page.x0 <= extent.x0 < extent.x1 <= page.x1
        assert page.y0 <= extent.y0 < extent.y1 <= page.y1


def test_figures_grow_with_the_sentence() -> None:
    sizes = [draw(attended(queries=("a",) * n, keys=("b",) * n)).get_size_inches()[1] for n in (5, 20, 60)]
    assert sizes == sorted(sizes)
    assert sizes[2] < 15


def test_long_tokens_are_cut(tmp_path: Path) -> None:
    save(attended(queries=("x" * 200,), keys=("y",)), tmp_path / "a.svg")
    assert "x" * 23 + "…" in svg_texts(tmp_path / "a.svg")


def test_grid_has_a_panel_for_each_layer_and_head(layers: list[Attended], tmp_path: Path) -> None:
    figure = grid([*layers, attended("pooling", heads=2)])
    panels = [axes for axes in figure.axes if axes.images]
    assert len(panels) == 4 * 4 + 2
    np.testing.assert_allclose(panels[5].images[0].get_array(), layers[1].weights_HQK[1].numpy())
    assert {panel.images[0].get_clim() for panel in panels} == {panels[0].images[0].get_clim()}
    save_figure(figure, tmp_path / "grid.svg")
    texts = svg_texts(tmp_path / "grid.svg")
    assert {"head 0", "head 3", "encoder layer 1, self-attention", "pooling"} <= set(texts)


def test_a_grid_of_nothing() -> None:
    with pytest.raises(ModelError, match="there is no attention layer to draw"):
        grid([])


def test_unknown_suffix(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"unknown kind of picture '\.bmp'; known are \.png, \.svg"):
        save(attended(), tmp_path / "a.bmp")


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="none is not a folder"):
        save(attended(), tmp_path / "none" / "a.png")


def test_nothing_global_is_touched(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save(attended(), tmp_path / "a.svg")
    assert dict(matplotlib.rcParams) == before


def test_pyplot_is_never_loaded(tmp_path: Path) -> None:
    # in a process of its own: other tests' libraries may load pyplot
    program = (
        "import sys, pathlib, torch\n"
        "from saccade.attention.seen import Attended\n"
        "from saccade.view.heatmap import save\n"
        "seen = Attended('decoder.0.cross', torch.ones(1, 1, 1), ('a',), ('b',))\n"
        "save(seen, pathlib.Path(sys.argv[1]))\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.png")], check=True)
    assert (tmp_path / "a.png").exists()
