import pytest
import torch
from torch import nn
from torch.nn.functional import gelu

from saccade.errors import ModelError
from saccade.layers.picture import PixelBlock, PixelGrid, PlaceEmbedding, PlaceEncoder, WholeEncoder, waves


def stirred(module: nn.Module) -> nn.Module:
    for parameter in module.parameters():
        if parameter.dim() == 1:  # behind ones and zeros a mistake can hide
            nn.init.normal_(parameter, mean=float(parameter.mean().item() == 1), std=0.3)
    return module.eval()


def without_norms(cnn: PixelGrid) -> PixelGrid:
    """Norms know the mean of the whole picture, so that nothing stays in its place."""
    for part in cnn.modules():
        if isinstance(part, PixelBlock):
            part.norms = nn.ModuleList([nn.Identity(), nn.Identity()])
    cnn.norm = nn.Identity()
    return cnn


def test_a_picture_is_read_alone_as_in_any_batch() -> None:
    cnn = stirred(PixelGrid(width=8, stages=3, patch=4))
    pictures = torch.randn(5, 3, 32, 32)
    with torch.no_grad():
        together = cnn(pictures)
        for number in range(5):
            torch.testing.assert_close(cnn(pictures[number : number + 1])[0], together[number], atol=1e-5, rtol=1e-4)
    assert together.shape == (5, 4, 32)
    assert together.std(dim=0).min() > 0


@pytest.mark.parametrize(("patch", "stages", "side"), [(4, 1, 8), (4, 2, 4), (4, 3, 2), (2, 3, 4)])
def test_the_grid_is_as_large_as_it_says_row_after_row(patch: int, stages: int, side: int) -> None:
    cnn = without_norms(PixelGrid(width=8, stages=stages, patch=patch))
    assert cnn.side(32) == side
    pictures = torch.zeros(1, 3, 32, 32)
    with torch.no_grad():
        plain = cnn(pictures)
        pictures[:, :, 28:, :2] = 1.0  # the lower left corner
        moved = (cnn(pictures) - plain).abs().sum(dim=-1)[0]
    assert plain.shape == (1, side**2, cnn.channels)
    row, column = divmod(int(moved.argmax()), side)
    assert row >= side // 2 > column


def test_a_place_sees_its_surroundings_only() -> None:
    cnn = without_norms(PixelGrid(width=8, stages=3, patch=2))
    pictures = torch.randn(1, 3, 64, 64, requires_grad=True)
    cnn(pictures)[0, 4 * 8 + 4].sum().backward()
    seen = pictures.grad[0].abs().sum(dim=0).nonzero()
    assert (seen.max(dim=0).values - seen.min(dim=0).values + 1).tolist() == [30, 30]


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ModelError) as told:
        PixelGrid(width=8, stages=2, patch=4).side(60)
    assert str(told.value) == (
        "pictures of 60 pixels cannot be made 8 times smaller: give data.pixels as a multiple of 8"
    )


def test_a_block_adds_to_what_it_was_given() -> None:
    block, x = stirred(PixelBlock(8, 8, stride=1, kernel=3)), torch.randn(2, 8, 4, 4)
    nn.init.zeros_(block.convolutions[1].weight)
    assert torch.equal(block(x), x)
    halved = PixelBlock(8, 16, stride=2, kernel=1)
    assert halved(x).shape == (2, 16, 2, 2)


@pytest.mark.parametrize(("side", "dim"), [(8, 256), (7, 30)])
def test_positions_begin_with_neighbours_alike(side: int, dim: int) -> None:
    apart = torch.cdist(*[waves(side, dim)] * 2).view(side, side, side, side)
    corner = apart[0, 0]
    assert waves(side, dim).shape == (side**2, dim)
    assert (corner + torch.eye(side**2)[0].view(side, side) > 0.1).all()  # no two are the same
    assert corner[0, 1] < corner[0, side - 1]
    assert corner[1, 0] < corner[side - 1, 0]
    torch.testing.assert_close(apart[2, 3, 2, 5], apart[4, 3, 4, 5])  # the row does not matter within a row


def test_places_are_projected_normed_and_told_apart() -> None:
    embedding = PlaceEmbedding(channels=6, dim=4, places=9, dropout=0.0)
    grid = torch.randn(2, 9, 6)
    expected = torch.stack(
        [embedding.norm(embedding.project(grid[:, g])) + embedding.positions[g] for g in range(9)], 1
    )
    torch.testing.assert_close(embedding(grid), expected)
    same = embedding(grid[:, :1].expand(-1, 9, -1))
    assert not torch.allclose(same[:, 0], same[:, 1]), "equal places cannot be told apart"


def test_what_is_remembered_is_the_mean_of_the_places() -> None:
    encoder, x = PlaceEncoder(dim=4), torch.randn(2, 9, 4)
    real = torch.ones(2, 9, dtype=torch.bool)
    found = encoder(x, real)
    assert found.states_BSE is x
    torch.testing.assert_close(found.final(), torch.tanh(encoder.mean(x.mean(dim=1))))
    torch.testing.assert_close(encoder(x.flip(1), real).final(), found.final())


def test_who_sees_only_what_is_remembered_is_told_what_is_where() -> None:
    embedding = PlaceEmbedding(channels=6, dim=4, places=9, dropout=0.0)
    encoder, grid, real = WholeEncoder(dim=4), torch.randn(2, 9, 6), torch.ones(2, 9, dtype=torch.bool)
    x = embedding(grid)
    found = encoder(x, real)
    assert found.states_BSE is x
    hidden = torch.stack([gelu(encoder.places(x[:, g])) for g in range(9)]).mean(dim=0)
    torch.testing.assert_close(found.final(), encoder.norm(encoder.whole(hidden)))
    moved = embedding(grid.flip(1))
    assert not torch.allclose(encoder(moved, real).final(), found.final(), atol=1e-3), "places cannot be told apart"


def test_waves_are_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where another library has hidden linspace from torch's device contexts, as transformers does."""
    monkeypatch.setattr("torch.utils._device._device_constructors", lambda: {torch.arange})
    with torch.device("meta"):
        assert torch.linspace(0, 1, 3).device.type == "cpu"
        assert waves(7, 32).device.type == "meta"
