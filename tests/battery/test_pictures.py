"""The same questions to every registered model that looks at pictures, CNN or Transformer."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention.naive import Echo
from saccade.attention import attention_layers, record
from saccade.models import PictureModel, Preset, Vocabulary, build_model, presets
from saccade.models.efficientnet import EfficientNetOptions
from saccade.models.hybrid import HybridOptions
from saccade.models.pictures import TASK
from saccade.models.resnet import ResNetOptions
from saccade.models.vgg import VggOptions
from saccade.models.vit_options import VitOptions
from saccade.training.storage import load_tensors, save_tensors
from saccade.training.weights import put_weights, weights_of

pytestmark = pytest.mark.battery

LABELS = 5
PRESETS = [one for one in presets() if TASK in one.tasks]
ENCODER = {"dim": 32, "heads": 4, "layers": 2, "ff_dim": 64, "size": 64}
SMALL: dict[type, dict[str, Any]] = {
    VitOptions: {**ENCODER, "patch": 8},
    HybridOptions: {**ENCODER, "width": 4, "stages": 4},
    ResNetOptions: {"width": 4},
    VggOptions: {"width": 4, "hidden": 16},
    EfficientNetOptions: {"width": 0.25},
}
PICTURES = torch.randn(4, 3, 64, 64, generator=torch.Generator().manual_seed(3))


@dataclass(frozen=True)
class Case:
    preset: Preset

    def build(self, *, seed: int = 1) -> Any:
        torch.manual_seed(seed)
        vocabulary = Vocabulary(source=0, target=0, shared=True, labels=LABELS)
        model = build_model(self.preset.name, SMALL[type(self.preset.options)], vocabulary)
        for parameter in model.parameters():
            if parameter.dim() == 1:  # behind ones and zeros a mistake can hide
                nn.init.normal_(parameter, mean=float(parameter.mean().item() == 1), std=0.2)
            elif parameter.dim() < 4:  # small fresh weights leave attention almost even
                nn.init.normal_(parameter, std=0.2)
        for part in model.modules():
            if isinstance(part, nn.BatchNorm2d):
                part.momentum = 1.0  # the statistics are those of the next batch
        with torch.no_grad():
            model.train()(torch.randn(4, 3, 64, 64))
        return model.eval()


def close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4)


@pytest.fixture(params=[Case(one) for one in PRESETS], ids=lambda case: case.preset.name)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def model(case: Case) -> Any:
    return case.build()


@pytest.mark.parametrize("name", [one.name for one in PRESETS])
def test_the_docstring_tells_the_number_of_parameters(name: str) -> None:
    doc = next(one.doc for one in PRESETS if one.name == name)
    told = re.search(r"([\d,]{7,}) parameters with ([\d,]+) labels", doc)
    assert told is not None
    labels = int(told[2].replace(",", ""))
    with torch.device("meta"):
        model = build_model(name, {}, Vocabulary(source=0, target=0, shared=True, labels=labels))
    assert f"{sum(one.numel() for one in model.parameters()):,}" == told[1]


def test_pictures_get_different_answers(model: Any) -> None:
    assert isinstance(model, PictureModel)
    with torch.no_grad():
        scores, grid = model.scores(PICTURES), model.grid(PICTURES)
        assert torch.equal(model(PICTURES), scores)
    assert scores.shape == (4, LABELS)
    assert grid.ndim == 4
    assert grid.shape[3] == model.channels
    for found in (scores, grid):
        assert found.isfinite().all()
        assert found.std(0).max() > 1e-4


def test_pictures_of_another_size(model: Any) -> None:
    """A taller one has more rows of cells, and no more columns."""
    tall = torch.randn(2, 3, 128, 64, generator=torch.Generator().manual_seed(4))
    with torch.no_grad():
        usual, other = model.grid(PICTURES), model.grid(tall)
        assert model.scores(tall).isfinite().all()
    assert other.shape[1] == 2 * usual.shape[1]
    assert other.shape[2:] == usual.shape[2:]


def test_every_parameter_learns(model: Any) -> None:
    model.train()
    torch.manual_seed(2)
    model.scores(PICTURES).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name


def test_every_head_is_a_part(model: Any) -> None:
    """What may be new when one is begun with another's weights, told by the prefix of its names."""
    for head in model.HEADS:
        parts = [parameter for name, parameter in model.named_parameters() if name.startswith(f"{head}.")]
        assert [len(part) for part in parts] == [LABELS, LABELS]


def test_a_picture_does_not_know_its_companions(model: Any) -> None:
    model, pictures = model.double(), PICTURES.double()  # deep ones round differently in batches of another size
    with torch.no_grad():
        scores, grid = model.scores(pictures), model.grid(pictures)
        for row in range(4):
            close(model.scores(pictures[row : row + 1])[0], scores[row])
            close(model.grid(pictures[row : row + 1])[0], grid[row])


def test_saved_and_loaded_it_is_the_same(model: Any, case: Case, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    save_tensors(file, weights_of(model))
    other = case.build(seed=2)
    with torch.no_grad():
        found = model.scores(PICTURES)
        assert not torch.equal(other.scores(PICTURES), found)
        put_weights(other, load_tensors(file), origin=file)
        assert torch.equal(other.scores(PICTURES), found)


def test_rows_sum_to_one(model: Any, case: Case) -> None:
    with torch.no_grad(), record(model) as seen:
        model.scores(PICTURES)
    attends = isinstance(case.preset.options, VitOptions | HybridOptions)
    assert list(seen) == (["encoder.0.self", "encoder.1.self"] if attends else [])
    for layer in seen:
        weights = seen[layer].weights_BHQK
        assert weights.shape == (4, 4, 65, 65)
        close(weights.sum(-1), torch.ones(4, 4, 65))
        assert weights.std() > 1e-4


def test_recording_does_not_change_a_bit_and_fused_is_explicit(model: Any) -> None:
    with torch.no_grad():
        plain = model.scores(PICTURES)
        with record(model):
            recorded = model.scores(PICTURES)
        assert torch.equal(recorded, plain)
    grads = []
    for listen in (False, True):
        for layer in attention_layers(model).values():
            layer.listener = Echo() if listen else None
        model.zero_grad()
        model.scores(PICTURES).square().mean().backward()
        grads.append([one.grad.clone() for one in model.parameters()])
    for fused, explicit in zip(*grads, strict=True):
        torch.testing.assert_close(fused, explicit, atol=1e-4, rtol=1e-3)
