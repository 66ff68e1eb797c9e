from pathlib import Path

import numpy as np
import pytest

from saccade.attention.seen import Attended
from saccade.errors import ModelError
from saccade.view.heatmap import save_figure
from saccade.view.word import looked_at, word_by_layer
from view.pages import attended

TIRED = ("[CLS]", "the", "animal", "it", "was", "it", "[SEP]")
WIDE = ("[CLS]", "the", "street", "it", "[SEP]")


def layers(words: tuple[str, ...]) -> list[Attended]:
    return [attended(f"encoder.{n}.self", queries=words, keys=words, seed=n) for n in range(3)]


def test_the_last_occurrence_layer_by_layer_without_marks() -> None:
    given = layers(TIRED)
    found = looked_at(given, "it", head=1)
    assert found.words == TIRED[1:-1]
    assert found.place == 4
    assert found.layers == ("encoder.2.self", "encoder.1.self", "encoder.0.self")
    np.testing.assert_allclose(found.weights_LK[0], given[2].weights_HQK[1, 5, 1:-1])
    np.testing.assert_allclose(looked_at(given, "it").weights_LK[2], given[0].weights_HQK.mean(0)[5, 1:-1], rtol=1e-6)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_two_texts_side_by_side(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"it.{ending}"
    save_figure(word_by_layer([layers(TIRED), layers(WIDE)], "it"), path)
    assert path.stat().st_size > 1000
    if ending == "svg":
        drawn = path.read_text()
        assert all(f">{word}<" in drawn for word in ("animal", "street", "layer 2", "layer 0"))
        assert ">[SEP]<" not in drawn


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(ModelError, match="'cat' is not among the tokens of the text: the, animal, it, was"):
        looked_at(layers(TIRED), "cat")
    with pytest.raises(ModelError, match="no self-attention"):
        looked_at([attended("decoder.0.cross")], "it")
