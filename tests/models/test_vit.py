"""Vision Transformer and hybrid: options, names, sizes."""

from typing import Any

import pytest
import torch

from saccade.attention import attention_layers
from saccade.errors import ModelError
from saccade.models import Vocabulary, build_model, find_preset

TEN = Vocabulary(source=0, target=0, shared=True, labels=10)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("vit-mini", {"size": 30}, "model.size 30 is no multiple of patches of 4 pixels"),
        ("vit-mini", {"heads": 5}, "model.dim 192 is not divisible by 5 heads"),
        ("hybrid-mini", {"size": 30}, "model.size 30 cannot be halved 2 times by 3 stages"),
    ],
)
def test_options_that_do_not_fit(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        build_model(name, options, TEN)


def test_attention_has_the_names_that_people_say() -> None:
    with torch.device("meta"):
        model = build_model("vit-tiny", {}, TEN)
    assert list(attention_layers(model)) == [f"encoder.{number}.self" for number in range(12)]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"width": 16, "dim": 96, "layers": 2}, 314_810),
        ({}, 2_126_570),
        ({"width": 64, "dim": 384, "heads": 6, "layers": 6}, 12_000_458),
    ],
)
def test_three_sizes_of_the_hybrid(options: dict[str, Any], told: int) -> None:
    with torch.device("meta"):
        model = build_model("hybrid-mini", options, TEN)
    assert sum(one.numel() for one in model.parameters()) == told
    assert f"{told:,}" in find_preset("hybrid-mini").doc


def test_a_hybrid_reads_the_cells_of_its_cnn() -> None:
    model: Any = build_model("hybrid-mini", {"dim": 12, "layers": 1}, TEN).eval()
    with torch.no_grad():
        assert model.states(torch.zeros(2, 3, 32, 32))[0].shape == (2, 1 + 8 * 8, 12)
        assert model.grid(torch.zeros(2, 3, 32, 48)).shape == (2, 8, 12, 12)
