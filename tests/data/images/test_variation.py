"""The named ways to vary pictures: nothing at all, a little, a lot."""

import torch

from saccade.data.images.variation import VariationName, variation

PICTURES = torch.rand(64, 3, 16, 16, generator=torch.Generator().manual_seed(5))


def varied(name: VariationName) -> tuple[torch.Tensor, torch.Tensor]:
    chosen, generator = variation(name, pixels=16), torch.Generator().manual_seed(1)
    before = chosen.before(PICTURES, generator)
    return before, chosen.after(before, generator)


def test_nothing() -> None:
    before, after = varied("none")
    assert torch.equal(before, PICTURES)
    assert torch.equal(after, PICTURES)


def test_light_moves_and_mirrors_and_invents_no_colour() -> None:
    before, after = varied("light")
    assert before.shape == PICTURES.shape
    assert torch.equal(before, after)
    assert torch.isin(before, PICTURES).all()  # a border would be black
    same = (before == PICTURES).flatten(1).all(dim=1)
    assert not same.all()


def test_strong_also_recolours_and_hides() -> None:
    before, after = varied("strong")
    assert before.min() >= 0
    assert before.max() <= 1
    assert not torch.isin(before, PICTURES).all()
    hidden = ((after == 0) & (before != 0)).flatten(1).any(dim=1).float().mean()
    assert 0.1 < hidden < 0.4
