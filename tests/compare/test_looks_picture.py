from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from compare.parts import NAMES, comparison_of, measured, sentences
from saccade.compare.looks import Looked
from saccade.compare.looks_picture import draw_looks, save_looks

PAIRS = sentences()
WORDS = ("a", "very", "extraordinarily", "$long$", "word")


def looked(keys: int = 5, queries: int = 4) -> Looked:
    weights_QK = np.eye(queries, keys).round(2).tolist()
    return Looked("decoder.1.cross", WORDS[:queries], (WORDS * 3)[:keys], tuple(map(tuple, weights_QK)))


def test_every_system_that_looks_has_a_panel_in_the_order_of_the_table(tmp_path: Path) -> None:
    systems = [measured(name, PAIRS, wrong=6 + 3 * place, looked=looked()) for place, name in enumerate(NAMES)]
    blind = replace(systems[0], looked=None)
    found = comparison_of(blind, *systems[1:])
    assert save_looks(found, tmp_path / "a.png", tmp_path / "a.svg")
    assert Image.open(tmp_path / "a.png").width > 500
    svg = (tmp_path / "a.svg").read_text()
    places = [svg.index(f">{row.system.name}<") for row in found.rows if row.system.looked is not None]
    assert places == sorted(places)
    assert f">{blind.name}<" not in svg
    assert "$long$" in svg


def test_no_picture_of_systems_that_do_not_look(tmp_path: Path) -> None:
    assert not save_looks(comparison_of(measured("rnn-seq2seq", PAIRS, wrong=6)), tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()


@pytest.mark.parametrize("panels", [1, 3, 4, 11])
def test_nothing_leaves_the_picture_and_no_panel_covers_another(panels: int) -> None:
    figure = draw_looks({f"system-{n}": looked(keys=3 + n) for n in range(panels)})
    figure.canvas.draw()
    for text in figure.findobj(Text):
        if text.get_text():
            box = text.get_window_extent()
            assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, text  # noqa: PT018
            assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1, text  # noqa: PT018
    boxes = [axes.get_position() for axes in figure.axes[:panels]]
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[number + 1 :])


def test_all_panels_have_one_scale() -> None:
    bright = replace(looked(), weights_QK=((0.2,) * 5,) * 4)
    figure = draw_looks({"a": looked(), "b": bright})
    assert [axes.images[0].norm.vmax for axes in figure.axes[:2]] == [1.0, 1.0]
