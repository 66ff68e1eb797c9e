from typing import Any

import torch

from saccade.models import Vocabulary, build_model

# Layer in torchvision's list, channels before and after: configuration D of the paper.
CONVOLUTIONS = (
    (0, 3, 64), (2, 64, 64), (5, 64, 128), (7, 128, 128), (10, 128, 256), (12, 256, 256), (14, 256, 256),
    (17, 256, 512), (19, 512, 512), (21, 512, 512), (24, 512, 512), (26, 512, 512), (28, 512, 512),
)  # fmt: skip


def vgg(labels: int, **options: Any) -> Any:
    return build_model("vgg16", options, Vocabulary(source=0, target=0, shared=True, labels=labels)).eval()


def test_the_state_dict_is_torchvisions() -> None:
    with torch.device("meta"):
        state = vgg(1000).state_dict()
    expected: dict[str, tuple[int, ...]] = {}
    for layer, before, after in CONVOLUTIONS:
        expected |= {f"features.{layer}.weight": (after, before, 3, 3), f"features.{layer}.bias": (after,)}
    for layer, before, after in ((0, 25088, 4096), (3, 4096, 4096), (6, 4096, 1000)):
        expected |= {f"classifier.{layer}.weight": (after, before), f"classifier.{layer}.bias": (after,)}
    assert {name: tuple(one.shape) for name, one in state.items()} == expected


def test_without_labels_there_is_no_classifier() -> None:
    assert all(name.startswith("features.") for name in vgg(0, width=2).state_dict())


def test_the_grid_is_that_of_the_captioning_paper() -> None:
    """14 × 14 cells at 224 pixels, after the last relu and before the last pooling."""
    model = vgg(0, width=2)
    with torch.no_grad():
        grid = model.grid(torch.randn(1, 3, 224, 224))
    assert grid.shape == (1, 14, 14, 16)
    assert grid.min() == 0
    assert grid.max() > 0


def test_scores_are_of_the_pooled_grid() -> None:
    model, pictures = vgg(3, width=2, hidden=8), torch.randn(2, 3, 224, 224)
    with torch.no_grad():
        pooled = torch.nn.functional.max_pool2d(model.grid(pictures).permute(0, 3, 1, 2), 2)
        torch.testing.assert_close(model.scores(pictures), model.classifier(pooled.flatten(1)))
