import pytest
import torch

from saccade.layers import Dropout


@pytest.mark.parametrize("p", [0.0, 0.5])
def test_nothing_is_dropped_outside_training(p: float) -> None:
    x = torch.randn(3, 4)
    assert Dropout(p).eval()(x) is x
    assert Dropout(0.0)(x) is x


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9])
def test_drops_with_probability_p_and_keeps_the_mean(p: float) -> None:
    dropped = Dropout(p)(torch.ones(1000, 1001))
    zeros = (dropped == 0).float()
    assert zeros.mean().item() == pytest.approx(p, abs=0.002)  # four standard deviations and a little
    torch.testing.assert_close(
        dropped[dropped != 0], torch.full(((dropped != 0).sum(),), 1 / (1 - p)), rtol=1e-3, atol=0
    )
    assert dropped.mean().item() == pytest.approx(1, abs=0.015)


def test_neighbours_are_independent() -> None:
    """Four numbers share one draw of 64 bits: none of them may know of another."""
    zeros = (Dropout(0.3)(torch.ones(1_000_000)) == 0).double().view(-1, 4)
    correlation = torch.corrcoef(zeros.T) - torch.eye(4)
    assert correlation.abs().max() < 0.01
    assert (zeros.mean(0) - 0.3).abs().max() < 0.005


def test_numbers_are_scaled_and_so_are_gradients() -> None:
    x = torch.randn(7, 5, requires_grad=True)  # 35 is not a multiple of four
    dropped = Dropout(0.5)(x)
    dropped.sum().backward()
    assert x.grad is not None
    assert set(x.grad.unique().tolist()) == {0.0, 2.0}
    torch.testing.assert_close(dropped, x * x.grad)


def test_the_seed_decides() -> None:
    layer, x, found = Dropout(0.4), torch.ones(10, 10), []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(layer(x))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_almost_everything_may_be_dropped() -> None:
    assert Dropout(0.999999)(torch.ones(100)).isfinite().all()


def test_says_its_p() -> None:
    assert repr(Dropout(0.25)) == "Dropout(p=0.25)"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_the_type_is_kept(dtype: torch.dtype) -> None:
    assert Dropout(0.5)(torch.ones(6, dtype=dtype)).dtype == dtype
