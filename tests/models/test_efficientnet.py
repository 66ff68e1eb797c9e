from typing import Any

import pytest
import torch

from saccade.models import Vocabulary, build_model
from saccade.models.efficientnet import scaled_channels


def lite(labels: int = 1000, **options: Any) -> Any:
    return build_model("efficientnet-lite0", options, Vocabulary(source=0, target=0, shared=True, labels=labels)).eval()


@pytest.mark.parametrize(
    ("width", "depth", "published"),
    [(1.0, 1.0, 4.7), (1.0, 1.1, 5.4), (1.1, 1.2, 6.1), (1.2, 1.4, 8.2), (1.4, 1.8, 13.0)],
)
def test_the_published_sizes_from_lite0_to_lite4(width: float, depth: float, published: float) -> None:
    with torch.device("meta"):
        model = lite(width=width, depth=depth)
    assert round(sum(one.numel() for one in model.parameters()) / 1e6, 1) == published


@pytest.mark.parametrize(("name", "parameters"), [("efficientnet-lite1", 5_416_680), ("efficientnet-lite2", 6_092_072)])
def test_larger_presets_have_the_parameters_that_they_tell(name: str, parameters: int) -> None:
    with torch.device("meta"):
        model = build_model(name, {}, Vocabulary(source=0, target=0, shared=True, labels=1000))
    assert sum(one.numel() for one in model.parameters()) == parameters


def test_scaled_channels_are_multiples_of_eight_and_not_much_less() -> None:
    assert [scaled_channels(24, scale) for scale in (0.1, 1.0, 1.2, 1.4)] == [8, 24, 32, 32]
    assert scaled_channels(16, 1.25) == 24


def test_the_grid_has_a_cell_for_32_pixels() -> None:
    model = lite(0, width=0.25)
    with torch.no_grad():
        grid = model.grid(torch.randn(1, 3, 224, 224))
    assert grid.shape == (1, 7, 7, 1280)
    assert grid.min() >= 0
    assert grid.max() <= 6
