import pytest
import torch
from torch.nn.functional import interpolate

from saccade.errors import ModelError
from saccade.layers.patches import GridPositions, Patches, PictureEmbedding


def test_a_patch_is_projected_as_a_whole() -> None:
    torch.manual_seed(1)
    layer, pictures = Patches(channels=3, patch=4, dim=5), torch.randn(2, 3, 8, 12)
    with torch.no_grad():
        found = layer(pictures)
        assert found.shape == (2, 2, 3, 5)
        matrix = layer.projection.weight.flatten(1)
        for row in range(2):
            for column in range(3):
                patch = pictures[:, :, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
                expected = patch.flatten(1) @ matrix.T + layer.projection.bias
                torch.testing.assert_close(found[:, row, column], expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("size", [(8, 10), (9, 8), (0, 8)])
def test_pictures_that_cannot_be_cut(size: tuple[int, int]) -> None:
    layer = Patches(channels=3, patch=4, dim=5)
    with pytest.raises(ModelError, match=rf"{size[0]}×{size[1]} pixels cannot be cut into patches of 4×4: give"):
        layer(torch.zeros(1, 3, *size))


def test_positions_of_the_learned_grid_are_the_table() -> None:
    positions = GridPositions(side=3, dim=4)
    assert positions(3, 3) is positions.table


def test_positions_of_another_grid_lie_between() -> None:
    """A value that grows evenly from left to right goes on growing evenly, over more cells."""
    positions = GridPositions(side=4, dim=2)
    with torch.no_grad():
        positions.table[0, 0] = 7.0
        positions.table[0, 1:, 0] = torch.arange(4.0).repeat(4)  # the column
        positions.table[0, 1:, 1] = torch.arange(4.0).repeat_interleave(4)  # the row
        found = positions(6, 8)
    assert found.shape == (1, 1 + 48, 2)
    assert found[0, 0].tolist() == [7.0, 7.0]
    grid = found[0, 1:].reshape(6, 8, 2)
    columns, rows = grid[2, :, 0], grid[:, 3, 1]
    torch.testing.assert_close(grid[..., 0], columns.expand(6, 8), atol=1e-5, rtol=0)
    torch.testing.assert_close(columns[3:5], torch.tensor([1.25, 1.75]), atol=0.05, rtol=0)
    assert (columns.diff() > 0).all()
    assert (rows.diff() > 0).all()
    expected = interpolate(torch.arange(4.0).expand(1, 1, 4, 4), size=(6, 8), mode="bicubic")[0, 0, 0]
    torch.testing.assert_close(columns, expected, atol=1e-5, rtol=0)


def test_positions_of_another_grid_learn_too() -> None:
    positions = GridPositions(side=2, dim=3)
    positions(5, 4).sum().backward()
    assert positions.table.grad is not None
    assert (positions.table.grad != 0).all()


def test_the_class_token_stands_first() -> None:
    torch.manual_seed(1)
    layer, pictures = PictureEmbedding(channels=3, size=8, patch=4, dim=5, dropout=0.0), torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        layer.class_token.normal_()
        found = layer(pictures)
        torch.testing.assert_close(found[1, 0], layer.class_token[0, 0] + layer.positions.table[0, 0])
        torch.testing.assert_close(found[1, 2], layer.patches(pictures)[1, 0, 1] + layer.positions.table[0, 2])
