"""Varied pictures: each rule against a plain loop or a case that can be seen, and every draw repeated by its seed."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from saccade.data.images.augment import (
    Augmentation,
    Erasing,
    Flip,
    InOrder,
    PaddedCrop,
    RectangleDraw,
    ResizedCrop,
)
from saccade.data.images.colour import ColourJitter, brighten, contrast, grey, saturate
from saccade.data.images.mixing import Cutmix, Mixup
from saccade.data.images.tensors import IMAGENET, measured_channels, to_tensor
from saccade.errors import DataError

KINDS: list[Augmentation] = [
    PaddedCrop(3),
    PaddedCrop(2, "reflect"),
    Flip(),
    ResizedCrop(12),
    ColourJitter(0.4, 0.4, 0.4),
    Erasing(),
    InOrder((Flip(), PaddedCrop(2), ColourJitter(brightness=0.3))),
]


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def pictures() -> Tensor:
    return torch.rand(16, 3, 12, 12, generator=seeded(5))


@pytest.mark.parametrize("kind", KINDS)
def test_the_generator_decides(kind: Augmentation, pictures: Tensor) -> None:
    before = pictures.clone()
    state = torch.get_rng_state()
    once, again, other = kind(pictures, seeded(1)), kind(pictures, seeded(1)), kind(pictures, seeded(2))
    assert once.shape == pictures.shape
    assert once.dtype == pictures.dtype
    torch.testing.assert_close(once, again, rtol=0, atol=0)
    assert not torch.equal(once, other)
    assert torch.equal(pictures, before)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_are_varied_one_by_one(kind: Augmentation) -> None:
    one = torch.rand(1, 3, 12, 12, generator=seeded(3))
    varied = kind(one.repeat(32, 1, 1, 1), seeded())
    assert len({tuple(picture.flatten().tolist()) for picture in varied}) > 1


@pytest.mark.parametrize("border", ["zero", "reflect"])
def test_padded_crops_are_windows(border: str, pictures: Tensor) -> None:
    mode = "constant" if border == "zero" else "reflect"
    padded = torch.nn.functional.pad(pictures, [2] * 4, mode=mode)
    places = set()
    for seed in range(20):
        cropped = PaddedCrop(2, border)(pictures, seeded(seed))
        for number, found in enumerate(cropped):
            fits = [
                (y, x)
                for y in range(5)
                for x in range(5)
                if torch.equal(found, padded[number, :, y : y + 12, x : x + 12])
            ]
            assert len(fits) == 1
            places.update(fits)
    assert len(places) == 25


def test_bytes_can_be_cropped_and_flipped() -> None:
    bytes_ = torch.randint(256, (4, 3, 8, 8), dtype=torch.uint8)
    assert PaddedCrop(1)(bytes_, seeded()).dtype == torch.uint8
    assert torch.equal(Flip(1.0)(bytes_, seeded()), bytes_.flip(-1))


def test_flips() -> None:
    one = torch.arange(3.0).expand(1000, 3, 2, 3)
    flipped = Flip(0.3)(one, seeded())[:, 0, 0, 0] == 2
    assert 0.25 < flipped.float().mean() < 0.35
    assert torch.equal(Flip(0.0)(one, seeded()), one)


def test_rectangles_follow_their_rule() -> None:
    found = RectangleDraw((0.1, 0.4), (0.5, 2.0))(5000, seeded())
    area, ratio = found.height_B * found.width_B, found.width_B / found.height_B
    assert 0.1 - 1e-6 <= area.min() < 0.11
    assert 0.39 < area.max() <= 0.4 + 1e-6
    assert abs(area.mean() - 0.25) < 0.01
    assert abs(ratio.log().mean()) < 0.03
    assert (ratio >= 0.5 - 1e-5).all()
    assert (ratio <= 2 + 1e-5).all()
    assert (found.top_B >= 0).all()
    assert (found.top_B + found.height_B <= 1 + 1e-6).all()
    assert (found.left_B >= 0).all()
    assert (found.left_B + found.width_B <= 1 + 1e-6).all()


def test_a_crop_of_everything_is_the_picture(pictures: Tensor) -> None:
    whole = ResizedCrop(12, area=(1.0, 1.0), ratio=(1.0, 1.0))(pictures, seeded())
    torch.testing.assert_close(whole, pictures)


def test_a_resized_crop_shows_its_rectangle() -> None:
    """On a picture whose pixels say where they are, a crop runs from one edge of its rectangle to the other."""
    x = ((torch.arange(64) + 0.5) / 64).expand(64, 64)
    pictures = torch.stack([x, x.T, x]).expand(8, 3, 64, 64)
    crop = ResizedCrop(32, area=(0.3, 0.3), ratio=(0.5, 0.5))
    found = RectangleDraw(crop.area, crop.ratio)(8, seeded(4))
    varied = crop(pictures, seeded(4))
    steps = (torch.arange(32) + 0.5) / 32
    expected_x = found.left_B[:, None] + found.width_B[:, None] * steps
    expected_y = found.top_B[:, None] + found.height_B[:, None] * steps
    torch.testing.assert_close(varied[:, 0, 16], expected_x.clamp(0.5 / 64, 1 - 0.5 / 64), rtol=0, atol=1e-5)
    torch.testing.assert_close(varied[:, 1, :, 16], expected_y.clamp(0.5 / 64, 1 - 0.5 / 64), rtol=0, atol=1e-5)


def test_erasing() -> None:
    ones = torch.ones(2000, 3, 16, 16)
    erased = Erasing(probability=0.4, value=-1.0)(ones, seeded()) == -1
    assert torch.equal(erased[:, 0], erased[:, 2])
    share = erased[:, 0].float().mean(dim=(1, 2))
    assert abs((share > 0).float().mean() - 0.4) < 0.04
    assert abs(share[share > 0].mean() - 0.175) < 0.02
    rows, columns = erased[:, 0].any(dim=2), erased[:, 0].any(dim=1)
    assert torch.equal(erased[:, 0], rows[:, :, None] & columns[:, None, :])
    assert torch.equal(Erasing(probability=0.0)(ones, seeded()), ones)


def test_colours_by_hand() -> None:
    half = torch.tensor(0.5).view(1, 1, 1, 1)
    picture = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]).view(1, 3, 1, 2)  # a red pixel and a black one
    torch.testing.assert_close(grey(picture).flatten(), torch.tensor([0.299, 0.0]))
    torch.testing.assert_close(brighten(picture, half)[0, :, 0, 0], torch.tensor([0.5, 0.0, 0.0]))
    torch.testing.assert_close(contrast(picture, half)[0, 0, 0], torch.tensor([0.57475, 0.07475]))
    torch.testing.assert_close(saturate(picture, half)[0, :, 0, 0], torch.tensor([0.6495, 0.1495, 0.1495]))
    assert brighten(picture, half * 6).max() == 1
    assert contrast(picture, half * 6).min() == 0


def test_jitter_stays_in_its_range() -> None:
    mid = torch.full((4000, 3, 1, 1), 0.5)
    values = ColourJitter(brightness=0.4)(mid, seeded())[:, 0, 0, 0]
    assert 0.3 <= values.min() < 0.301
    assert 0.699 < values.max() <= 0.7
    assert torch.equal(ColourJitter()(mid, seeded()), mid)


@pytest.fixture
def targets() -> Tensor:
    return torch.eye(16)


def test_mixup(pictures: Tensor, targets: Tensor) -> None:
    """With one class for each picture the targets say what was mixed."""
    mixed = Mixup(alpha=1.0)(pictures, targets, seeded())
    torch.testing.assert_close(mixed.targets_BK.sum(dim=1), torch.ones(16))
    torch.testing.assert_close(mixed.pictures_BCHW, torch.einsum("bk,kchw->bchw", mixed.targets_BK, pictures))
    assert ((mixed.targets_BK > 0).sum(dim=1) == 2).sum() > 8
    again = Mixup(alpha=1.0)(pictures, targets, seeded())
    assert torch.equal(again.pictures_BCHW, mixed.pictures_BCHW)
    assert torch.equal(again.targets_BK, mixed.targets_BK)


def test_mixup_by_alpha(pictures: Tensor) -> None:
    """Beta(α, α) has the variance 1 / (4 (2 α + 1))."""
    many, own = torch.zeros(4000, 1, 1, 1), torch.eye(4000)
    for alpha in (0.2, 1.0):
        share = Mixup(alpha)(many, own, seeded()).targets_BK.diagonal()
        assert abs(share.var() - 1 / (4 * (2 * alpha + 1))) < 0.01


def test_cutmix(targets: Tensor) -> None:
    plain = torch.arange(16.0).view(16, 1, 1, 1).expand(16, 3, 20, 20)
    mixed = Cutmix()(plain, targets, seeded())
    torch.testing.assert_close(mixed.targets_BK.sum(dim=1), torch.ones(16))
    for number, picture in enumerate(mixed.pictures_BCHW):
        for other in range(16):
            share = (picture[0] == other).float().mean()
            torch.testing.assert_close(mixed.targets_BK[number, other], share, rtol=0, atol=1e-6)
        strange = picture[0] != number
        assert torch.equal(strange, strange.any(dim=1)[:, None] & strange.any(dim=0)[None])
    assert ((mixed.targets_BK > 0).sum(dim=1) == 2).sum() > 8


def test_bytes_to_numbers() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (2, 4, 5, 3), dtype=np.uint8)
    found = to_tensor(pixels)
    assert found.shape == (2, 3, 4, 5)
    assert found[1, 2, 3, 4] == np.float32(pixels[1, 3, 4, 2]) / np.float32(255)


def test_normalising(pictures: Tensor) -> None:
    found = IMAGENET.normalise(pictures)
    torch.testing.assert_close(found[:, 1], (pictures[:, 1] - 0.456) / 0.224)
    torch.testing.assert_close(IMAGENET.restore(found), pictures)


def test_measured_channels() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (20, 6, 7, 3), dtype=np.uint8)
    pixels[..., 2] //= 3
    found = measured_channels(pixels)
    expected = pixels.reshape(-1, 3) / 255
    np.testing.assert_allclose(found.mean, expected.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.std, expected.std(axis=0), rtol=1e-9)
    normal = found.normalise(to_tensor(pixels))
    assert abs(float(normal[:, 2].std(correction=0)) - 1) < 1e-5
    assert math.isclose(float(normal.mean()), 0, abs_tol=1e-5)


def test_channels_that_cannot_be_measured() -> None:
    with pytest.raises(DataError, match="there is no picture to measure the channels of"):
        measured_channels([])
    with pytest.raises(DataError, match="a channel has the same value in every pixel of every picture"):
        measured_channels([np.zeros((2, 2, 3), np.uint8)])
