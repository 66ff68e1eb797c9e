"""The same questions to every registered captioner, with pixels and with the grid of a frozen CNN.

A captioner reads ``picture`` and ``target`` (``forward`` → states, ``logits``), and writes step by step (``start`` →
state, ``step``, ``state.reorder``, ``state.keep``).
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention.naive import Echo
from battery.cases import SIZES
from saccade.attention import attention_layers, record
from saccade.errors import ModelError
from saccade.models import Captioner, GridShape, PixelShape, Preset, Vocabulary, build_model, presets
from saccade.models.caption_presets import TASK
from saccade.training.storage import load_tensors, save_tensors
from saccade.training.weights import put_weights, weights_of

pytestmark = pytest.mark.battery

Shape = GridShape | PixelShape
PRESETS = [one for one in presets() if TASK in one.tasks]
GRID, PIXELS = GridShape(3, 12), PixelShape(16)
MADE_OF_PIXELS = "caption-vit"
GENERATOR = torch.Generator().manual_seed(3)
PICTURES: dict[Shape, Tensor] = {
    GRID: torch.randn(3, 9, 12, generator=GENERATOR),
    PIXELS: torch.randn(3, 3, 16, 16, generator=GENERATOR),
}
TARGET = torch.tensor([[1, 22, 23, 24, 25, 26, 27, 28], [1, 9, 8, 7, 6, 5, 4, 3], [1, 12, 29, 14, 15, 16, 17, 18]])
LONG = torch.randint(3, 30, (3, 20), generator=torch.Generator().manual_seed(6))


@dataclass(frozen=True)
class Case:
    preset: Preset
    shape: Shape

    @property
    def id(self) -> str:
        return f"{self.preset.name}-{'grid' if isinstance(self.shape, GridShape) else 'pixels'}"

    @property
    def picture(self) -> Tensor:
        return PICTURES[self.shape]

    def build(self, *, seed: int = 1) -> Any:
        torch.manual_seed(seed)
        small = {**SIZES, "cnn_width": 8, "patch": 4}
        options = {name: value for name, value in small.items() if name in type(self.preset.options).model_fields}
        model = build_model(self.preset.name, options, vocabulary(self.shape))
        for parameter in model.parameters():
            if parameter.dim() == 1:  # behind ones and zeros a mistake can hide
                nn.init.normal_(parameter, mean=float(parameter.mean().item() == 1), std=0.2)
            elif parameter.dim() == 2:  # small fresh weights leave attention almost even
                nn.init.normal_(parameter, std=0.3)
        return model.eval()


def vocabulary(shape: Shape | None, size: int = 30) -> Vocabulary:
    return Vocabulary(source=size, target=size, shared=True, picture=shape)


CASES = [Case(one, shape) for one in PRESETS for shape in (GRID, PIXELS) if (one.name, shape) != (MADE_OF_PIXELS, GRID)]


def close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=2e-5, rtol=1e-4)


def loss(model: Any, picture: Tensor) -> Tensor:
    """With all that the way of attending adds to it."""
    real_BT = torch.ones(3, 7, dtype=torch.bool)
    real_BT[1, 5:] = False
    written_N = TARGET[:, 1:][real_BT]
    states_NE = model(picture, TARGET[:, :-1])[real_BT]
    total: Tensor = model.loss(states_NE, written_N) + model.take_attention_loss(states_NE, written_N, real_BT)
    return total


@pytest.fixture(params=CASES, ids=lambda case: case.id)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def model(case: Case) -> Any:
    return case.build()


def test_there_are_five() -> None:
    assert {one.name for one in PRESETS} == {
        "caption-rnn",
        "caption-soft",
        "caption-hard",
        "caption-transformer",
        "caption-vit",
    }
    assert {case.preset.name for case in CASES} == {one.name for one in PRESETS}


@pytest.mark.parametrize("name", [one.name for one in PRESETS])
def test_the_docstring_tells_the_number_of_parameters(name: str) -> None:
    doc = next(one.doc for one in PRESETS if one.name == name)
    told = re.search(
        r"([\d,]{7,}) parameters with a vocabulary of ([\d,]+) and (?:pictures of (\d+) pixels|"
        r"(\d+) × \d+ places of width ([\d,]+))",
        doc,
    )
    assert told is not None
    pixels, side, channels = told[3], told[4], told[5]
    shape = PixelShape(int(pixels)) if pixels else GridShape(int(side), int(channels.replace(",", "")))
    with torch.device("meta"):
        model = build_model(name, {}, vocabulary(shape, int(told[2].replace(",", ""))))
    assert f"{sum(one.numel() for one in model.parameters()):,}" == told[1]


def test_pictures_get_different_answers(model: Any, case: Case) -> None:
    assert isinstance(model, Captioner)
    assert model.places_count == (9 if case.shape == GRID else 16 if case.preset.name == MADE_OF_PIXELS else 4)
    with torch.no_grad():
        logits = model.logits(model(case.picture, TARGET[:1].expand(3, -1)))
    assert logits.shape == (3, 8, 30)
    assert logits.isfinite().all()
    assert logits.std(0).max() > 1e-3, "every picture gets the same answer"


def test_every_parameter_learns(model: Any, case: Case) -> None:
    model.train()
    torch.manual_seed(2)
    loss(model, case.picture).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name


def test_the_seed_decides(case: Case) -> None:
    same, other = weights_of(case.build()), weights_of(case.build(seed=2))
    for name, tensor in weights_of(case.build()).items():
        assert torch.equal(tensor, same[name])
        if tensor.ndim:  # a number for itself begins where the vocabulary says
            assert not torch.equal(tensor, other[name])


def test_the_future_is_not_seen(model: Any, case: Case) -> None:
    with torch.no_grad():
        states = model(case.picture, TARGET)
        for position in range(1, 8):
            changed = TARGET.clone()
            changed[:, position:] = LONG[:, position:8]
            other = model(case.picture, changed)
            close(other[:, :position], states[:, :position])
            assert (other[:, position] - states[:, position]).abs().max() > 1e-4


def test_a_picture_does_not_know_its_companions(model: Any, case: Case) -> None:
    with torch.no_grad():
        together = model(case.picture, TARGET)
        for row in range(3):
            close(model(case.picture[row : row + 1], TARGET[row : row + 1])[0], together[row])
        order = torch.tensor([2, 0, 1])
        close(model(case.picture[order], TARGET[order]), together[order])


def test_saved_and_loaded_it_is_the_same(model: Any, case: Case, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    save_tensors(file, weights_of(model))
    other = case.build(seed=2)
    with torch.no_grad():
        states = model(case.picture, TARGET)
        assert not torch.equal(other(case.picture, TARGET), states)
        put_weights(other, load_tensors(file), origin=file)
        assert torch.equal(other(case.picture, TARGET), states)


def test_rows_sum_to_one_in_every_layer(model: Any, case: Case) -> None:
    with torch.no_grad(), record(model) as seen:
        model(case.picture, TARGET)
    assert set(seen) == set(attention_layers(model))
    for layer in seen:
        assert seen[layer].calls, f"{layer} was never asked"
        for weights in seen[layer].calls:
            assert (weights >= 0).all()
            close(weights.sum(-1), torch.ones(weights.shape[:-1]))
        if layer.endswith("cross"):
            assert torch.cat(seen[layer].calls, 2).shape[2:] == (8, model.places_count)


@pytest.mark.parametrize("mode", ["evaluation", "training"])
def test_recording_does_not_change_a_bit(model: Any, case: Case, mode: str) -> None:
    model.train(mode == "training")
    found = []
    for layers in (None, "*", None):
        torch.manual_seed(8)
        if layers is None:
            found.append(loss(model, case.picture))
        else:
            with record(model, layers):
                found.append(loss(model, case.picture))
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


def test_fused_is_explicit(model: Any, case: Case) -> None:
    results = []
    for listen in (False, True):
        for layer in attention_layers(model).values():
            layer.listener = Echo() if listen else None
        model.zero_grad()
        loss(model, case.picture).backward()
        results.append([p.grad.clone() for p in model.parameters() if p.grad is not None])
    for fused, explicit in zip(*results, strict=True):
        torch.testing.assert_close(fused, explicit, atol=5e-5, rtol=1e-3)


def written(model: Any, picture: Tensor, tokens: Tensor) -> Tensor:
    """The logits of tokens that are given one by one."""
    state = model.start(picture)
    return torch.stack([model.step(tokens[:, t], state) for t in range(tokens.shape[1])], 1)


def test_step_by_step_is_the_whole(model: Any, case: Case) -> None:
    with torch.no_grad():
        close(written(model, case.picture, LONG), model.logits(model(case.picture, LONG)))


def test_beams_share_their_picture(model: Any, case: Case) -> None:
    beams = torch.randint(3, 30, (9, 6), generator=torch.Generator().manual_seed(7))
    with torch.no_grad():
        shared = written(model, case.picture, beams)
        close(shared, model.logits(model(case.picture.repeat_interleave(3, 0), beams)))


def test_rows_that_are_reordered_and_kept_go_on_from_where_they_came(model: Any, case: Case) -> None:
    """Two beams a picture; rows change places within their picture, then the first picture is done."""
    beams = torch.randint(3, 30, (6, 5), generator=torch.Generator().manual_seed(9))
    rows, newest = torch.tensor([1, 0, 3, 3, 4, 4]), torch.tensor([3, 4, 5, 6, 7, 8])
    pictures, kept = torch.tensor([1, 2]), torch.tensor([3, 2, 5, 5])
    with torch.no_grad():
        state = model.start(case.picture)
        for t in range(5):
            model.step(beams[:, t], state)
        state.reorder(rows)
        found = model.step(newest, state)
        prefixes = torch.cat((beams[rows], newest[:, None]), 1)
        twice = case.picture.repeat_interleave(2, 0)
        close(found, model.logits(model(twice, prefixes))[:, -1])
        state.keep(pictures, kept)
        last = model.step(torch.tensor([9, 10, 11, 12]), state)
        further = torch.cat((prefixes[kept], torch.tensor([[9], [10], [11], [12]])), 1)
        close(last, model.logits(model(twice[2:], further))[:, -1])


def test_recorded_steps_are_the_rows_of_the_whole(model: Any, case: Case) -> None:
    layers = [name for name in attention_layers(model) if name.endswith(".cross")]
    assert bool(layers) == (case.preset.name != "caption-rnn")
    if not layers:
        return
    with torch.no_grad():
        with record(model, layers) as whole:
            model(case.picture, TARGET)
        with record(model, layers) as steps:
            written(model, case.picture, TARGET)
    for layer in layers:
        close(torch.cat(steps[layer].calls, 2), torch.cat(whole[layer].calls, 2))


def test_grids_are_nothing_for_one_that_reads_pixels() -> None:
    with pytest.raises(ModelError) as told:
        build_model(MADE_OF_PIXELS, {}, vocabulary(GRID))
    assert str(told.value) == "caption-vit reads pixels, not a CNN's features: leave data.backbone out"


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("caption-vit", 60, "pictures of 60 pixels cannot be cut into patches of 8: give data.pixels as a multiple of"),
        ("caption-soft", 30, "pictures of 30 pixels cannot be made 8 times smaller: give data.pixels as a multiple of"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(name: str, size: int, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        build_model(name, {}, vocabulary(PixelShape(size)))


def test_a_captioner_must_know_its_pictures() -> None:
    with pytest.raises(ModelError, match="must know what its pictures are: features of places, or pixels"):
        build_model("caption-soft", {}, vocabulary(None))
