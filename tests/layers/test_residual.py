import pytest
import torch
from torch import Tensor

from saccade.layers import NormPlace, Residual


def norm(x: Tensor) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, unbiased=False, keepdim=True) + 1e-5)


def twice_and_one(x: Tensor) -> Tensor:
    return 2 * x + 1


def test_post() -> None:
    x = torch.randn(2, 3, 4)
    found = Residual(dim=4, dropout=0.0, place="post")(x, twice_and_one)
    torch.testing.assert_close(found, norm(x + 2 * x + 1))


def test_pre() -> None:
    x = torch.randn(2, 3, 4)
    found = Residual(dim=4, dropout=0.0, place="pre")(x, twice_and_one)
    torch.testing.assert_close(found, x + 2 * norm(x) + 1)


def test_by_hand() -> None:
    # x = (1, 3): mean 2, variance 1, normalised (−1, 1); the sublayer adds 1
    x = torch.tensor([[1.0, 3.0]])
    pre = Residual(dim=2, dropout=0.0, place="pre")(x, lambda y: y + 1)
    assert pre.flatten().tolist() == pytest.approx([1 + 0, 3 + 2], abs=1e-4)
    # x + sublayer(x) = (3, 7), normalised (−1, 1)
    post = Residual(dim=2, dropout=0.0, place="post")(x, lambda y: y + 1)
    assert post.flatten().tolist() == pytest.approx([-1, 1], abs=1e-4)


@pytest.mark.parametrize("place", ["pre", "post"])
def test_only_the_sublayer_is_dropped(place: NormPlace) -> None:
    layer, x = Residual(dim=4, dropout=0.999999, place=place), torch.randn(2, 3, 4)
    torch.testing.assert_close(layer(x, twice_and_one), x if place == "pre" else norm(x))
    layer.eval()
    assert not torch.allclose(layer(x, twice_and_one), x if place == "pre" else norm(x))
