"""ResNet: torchvision's names and shapes, and the numbers of Hugging Face's own ResNet."""

from typing import Any

import pytest
import torch
import transformers

from saccade.errors import ModelError
from saccade.models import Vocabulary, build_model, find_preset

NORM = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")


def labels(count: int) -> Vocabulary:
    return Vocabulary(source=0, target=0, shared=True, labels=count)


def torchvision_names(blocks: tuple[int, ...], convolutions: int) -> set[str]:
    """As its documentation and its files have them."""
    names = {"conv1.weight", "fc.weight", "fc.bias", *(f"bn1.{one}" for one in NORM)}
    for stage, depth in enumerate(blocks, start=1):
        for block in range(depth):
            place = f"layer{stage}.{block}"
            for number in range(1, convolutions + 1):
                names |= {f"{place}.conv{number}.weight", *(f"{place}.bn{number}.{one}" for one in NORM)}
            if block == 0 and (stage > 1 or convolutions == 3):
                names |= {f"{place}.downsample.0.weight", *(f"{place}.downsample.1.{one}" for one in NORM)}
    return names


@pytest.mark.parametrize(
    ("name", "blocks", "convolutions", "shapes"),
    [
        ("resnet18", (2, 2, 2, 2), 2, {"layer4.0.downsample.0.weight": (512, 256, 1, 1), "fc.weight": (1000, 512)}),
        ("resnet34", (3, 4, 6, 3), 2, {"layer3.5.conv2.weight": (256, 256, 3, 3), "conv1.weight": (64, 3, 7, 7)}),
        ("resnet50", (3, 4, 6, 3), 3, {"layer1.0.downsample.0.weight": (256, 64, 1, 1), "fc.weight": (1000, 2048)}),
    ],
)
def test_the_state_dict_is_torchvisions(
    name: str, blocks: tuple[int, ...], convolutions: int, shapes: dict[str, tuple[int, ...]]
) -> None:
    with torch.device("meta"):
        state = build_model(name, {}, labels(1000)).state_dict()
    assert state.keys() == torchvision_names(blocks, convolutions)
    for tensor, shape in shapes.items():
        assert state[tensor].shape == shape


def their_name(ours: str) -> str:
    """Of a tensor in Hugging Face's library."""
    if ours.startswith("fc."):
        return ours.replace("fc.", "classifier.1.")
    first, _, rest = ours.partition(".")
    place = "resnet.embedder.embedder"
    if first.startswith("layer"):
        block, rest = rest.split(".", maxsplit=1)
        first, _, rest = rest.partition(".")
        place = f"resnet.encoder.stages.{int(ours[5]) - 1}.layers.{block}"
        if first == "downsample":
            number, _, rest = rest.partition(".")
            return f"{place}.shortcut.{('convolution', 'normalization')[int(number)]}.{rest}"
        place += f".layer.{int(first[-1]) - 1}"
    return f"{place}.{'convolution' if first.startswith('conv') else 'normalization'}.{rest}"


@pytest.mark.parity
@pytest.mark.parametrize("block", ["basic", "bottleneck"])
def test_a_resnet_is_their_resnet(block: str) -> None:
    torch.manual_seed(1)
    times = 1 if block == "basic" else 4
    config = transformers.ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8 * times, 16 * times, 32 * times],
        depths=[2, 1, 2],
        layer_type=block,
        num_labels=5,
    )
    peer: Any = transformers.ResNetForImageClassification(config)
    model: Any = build_model("resnet18", {"blocks": "2,1,2", "block": block, "width": 8}, labels(5))
    pictures = torch.randn(2, 3, 64, 48)
    peer.train()(pictures)  # so that the norms have statistics that are not 0 and 1
    theirs = peer.state_dict()
    assert {their_name(name) for name in model.state_dict()} == theirs.keys()
    model.load_state_dict({name: theirs[their_name(name)] for name in model.state_dict()})
    with torch.no_grad():
        expected = peer.eval()(pictures, output_hidden_states=True)
        torch.testing.assert_close(model.eval().scores(pictures), expected.logits, atol=1e-5, rtol=1e-4)
        last = expected.hidden_states[-1].permute(0, 2, 3, 1)
        torch.testing.assert_close(model.grid(pictures), last, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("width", "told"), [(16, 175_258), (32, 696_618), (64, 2_777_674)])
def test_three_sizes_of_a_small_one(width: int, told: int) -> None:
    with torch.device("meta"):
        model = build_model("resnet-mini", {"width": width}, labels(10))
    assert sum(one.numel() for one in model.parameters()) == told
    assert f"{told:,}" in find_preset("resnet-mini").doc


def test_small_pictures_keep_their_size_in_the_stem() -> None:
    model: Any = build_model("resnet-mini", {"width": 4}, labels(10)).eval()
    assert model.grid(torch.zeros(1, 3, 32, 32)).shape == (1, 8, 8, 16)


def test_without_labels_there_are_no_scores() -> None:
    model: Any = build_model("resnet-mini", {"width": 4}, labels(0)).eval()
    assert not any(name.startswith("fc.") for name in model.state_dict())
    with pytest.raises(ModelError, match="this ResNet was built for 0 labels: it has a grid of features, no scores"):
        model.scores(torch.zeros(1, 3, 32, 32))


@pytest.mark.parametrize("blocks", ["", "2,0", "2;2", "two"])
def test_what_blocks_may_be(blocks: str) -> None:
    with pytest.raises(ModelError, match=r"model\.blocks"):
        build_model("resnet-mini", {"blocks": blocks}, labels(10))
