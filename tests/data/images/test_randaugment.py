"""Each operation on a picture where its effect can be seen, and the drawing of operations."""

import pytest
import torch
from torch import Tensor

from saccade.data.images.randaugment import (
    OPERATIONS,
    Operation,
    RandAugment,
    posterise,
    rotate,
    shear_x,
    shear_y,
    shift_x,
    shift_y,
    solarise,
)


def places(size: int = 40, width: int | None = None) -> Tensor:
    """A picture whose first channel says where a pixel is from left to right, the second from top to bottom, −1 … 1."""
    y, x = torch.meshgrid(_middles(size), _middles(width or size), indexing="ij")
    return torch.stack([x, y, x])[None]


def _middles(size: int) -> Tensor:
    return (2 * torch.arange(size) + 1) / size - 1


def strength(value: float) -> Tensor:
    return torch.tensor([value])


def inner(pictures: Tensor) -> Tensor:
    quarter = pictures.shape[-1] // 4
    return pictures[..., quarter:-quarter, quarter:-quarter]


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize(("width", "height"), [(40, 40), (80, 40), (40, 80)])
def test_a_rotation_keeps_distances(width: int, height: int) -> None:
    """What was at an angle of 30° is found on the axis, at the same distance in pixels from the middle."""
    turned = rotate(places(height, width), strength(1.0))[0]
    x, y = turned[0] * width / 2, turned[1] * height / 2
    row, column = height // 2, width // 2 + 10
    torch.testing.assert_close(x[row, column] ** 2 + y[row, column] ** 2, torch.tensor(10.5**2 + 0.5**2))
    angle = torch.atan2(y[row, column], x[row, column]) - torch.atan2(torch.tensor(0.5), torch.tensor(10.5))
    torch.testing.assert_close(torch.rad2deg(angle), torch.tensor(30.0), rtol=1e-4, atol=1e-3)


def test_shears_and_shifts() -> None:
    x, y = inner(places())[0, 0], inner(places())[0, 1]
    for operation, expected_x, expected_y in [
        (shear_x, x + 0.15 * y, y),
        (shear_y, x, y + 0.15 * x),
        (shift_x, x - 0.3, y),
        (shift_y, x, y - 0.3),
    ]:
        found = inner(operation(places(), strength(0.5)))[0]
        torch.testing.assert_close(found[0], expected_x, rtol=0, atol=1e-5)
        torch.testing.assert_close(found[1], expected_y, rtol=0, atol=1e-5)


def test_solarise_and_posterise() -> None:
    picture = torch.tensor([0.0, 100.0, 200.0, 255.0]).div(255).expand(1, 3, 1, 4)
    torch.testing.assert_close(solarise(picture, strength(-0.5))[0, 0, 0] * 255, torch.tensor([0.0, 100.0, 55.0, 0.0]))
    torch.testing.assert_close(
        posterise(picture, strength(1.0))[0, 0, 0] * 255, torch.tensor([0.0, 96.0, 192.0, 240.0])
    )


@pytest.mark.parametrize("operation", OPERATIONS[1:])
def test_no_strength_changes_nothing(operation: Operation) -> None:
    picture = torch.randint(256, (1, 3, 8, 8), generator=seeded(0)) / 255
    if operation is solarise:
        picture = picture.clamp(max=0.99)
    torch.testing.assert_close(operation(picture, strength(0.0)), picture)
    assert not torch.allclose(operation(picture, strength(0.9)), picture)


def test_the_generator_decides() -> None:
    pictures = torch.rand(64, 3, 8, 8, generator=seeded(0))
    before = pictures.clone()
    once, again, other = (RandAugment()(pictures, seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(once, again)
    assert not torch.equal(once, other)
    assert torch.equal(pictures, before)
    assert once.min() >= 0
    assert once.max() <= 1


def test_every_operation_is_drawn_for_itself() -> None:
    picture = torch.rand(1, 3, 8, 8, generator=seeded(0))
    varied = RandAugment(count=1, strength=0.5)(picture.repeat(400, 1, 1, 1), seeded(3))
    expected = [operation(picture, strength(sign * 0.5))[0] for operation in OPERATIONS for sign in (-1, 1)]
    found = torch.stack([(varied - one).abs().amax(dim=(1, 2, 3)) < 1e-6 for one in expected])
    assert found.any(dim=0).all()
    assert found.any(dim=1).all()
