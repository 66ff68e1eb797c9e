import pytest
import torch
from torch import Tensor, nn

from saccade.training.muon import MOMENTUM, Muon, orthogonal


def drawn(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def stepped(optimizer: torch.optim.Optimizer, parameters: list[nn.Parameter], gradients: list[Tensor]) -> None:
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    optimizer.step()


@pytest.mark.parametrize("shape", [(6, 6), (4, 12), (12, 4)])
def test_every_direction_has_the_same_size(shape: tuple[int, int]) -> None:
    matrices = drawn(3, *shape)
    found = torch.linalg.svdvals(orthogonal(matrices))
    assert found.min() > 0.5
    assert found.max() < 1.3
    u, _, vt = torch.linalg.svd(matrices, full_matrices=False)
    assert torch.nn.functional.cosine_similarity(orthogonal(matrices).flatten(1), (u @ vt).flatten(1)).min() > 0.97


@pytest.mark.parametrize("shape", [(64, 64), (48, 192), (192, 48)])
def test_rounded_it_goes_the_same_way(shape: tuple[int, int]) -> None:
    whole, rounded = (nn.Parameter(torch.zeros(shape)) for _ in range(2))
    for weight in (whole, rounded):
        optimizer = Muon([weight], [], lr=0.5, rounded=weight is rounded)
        stepped(optimizer, [weight], [drawn(*shape)])
        assert optimizer.state[weight]["momentum"].dtype == torch.float32
    assert rounded.dtype == torch.float32
    assert torch.nn.functional.cosine_similarity(whole.flatten(), rounded.flatten(), dim=0) > 0.995
    assert not torch.equal(whole, rounded)


def test_the_size_of_the_gradient_does_not_matter() -> None:
    torch.testing.assert_close(orthogonal(drawn(2, 8, 8) * 1e-3), orthogonal(drawn(2, 8, 8)), atol=1e-3, rtol=1e-2)


def test_a_gradient_of_zeros_moves_nothing() -> None:
    assert orthogonal(torch.zeros(1, 4, 4)).abs().max() == 0


@pytest.mark.parametrize("shape", [(32, 32), (32, 96), (96, 32)])
def test_a_step_has_the_size_of_one_of_adam(shape: tuple[int, int]) -> None:
    weight = nn.Parameter(torch.zeros(shape))
    stepped(Muon([weight], [], lr=0.5), [weight], [drawn(*shape)])
    assert 0.6 < weight.detach().square().mean().sqrt().item() / (0.5 * 0.2) < 1.2


def test_momentum_looks_ahead() -> None:
    weight = nn.Parameter(torch.zeros(8, 8, dtype=torch.double))
    optimizer = Muon([weight], [], lr=1.0, weight_decay=0.0)
    gradients = [drawn(8, 8, seed=seed).double() for seed in (1, 2)]
    expected, moment = torch.zeros_like(weight), torch.zeros_like(weight)
    for gradient in gradients:
        stepped(optimizer, [weight], [gradient])
        moment = MOMENTUM * moment + gradient
        expected -= 0.2 * 8**0.5 * orthogonal((gradient + MOMENTUM * moment)[None])[0]
    torch.testing.assert_close(weight.detach(), expected)


def test_matrices_of_one_shape_do_not_mix() -> None:
    together = [nn.Parameter(drawn(6, 9, seed=seed)) for seed in (1, 2)]
    alone = [nn.Parameter(parameter.detach().clone()) for parameter in together]
    gradients = [drawn(6, 9, seed=seed) for seed in (3, 4)]
    stepped(Muon(together, [], lr=0.1), together, gradients)
    for parameter, gradient in zip(alone, gradients, strict=True):
        stepped(Muon([parameter], [], lr=0.1), [parameter], [gradient])
    for one, other in zip(together, alone, strict=True):
        torch.testing.assert_close(one, other)


def test_a_kernel_moves_as_a_matrix_with_a_row_for_each_channel() -> None:
    kernel, matrix = nn.Parameter(torch.zeros(6, 4, 3, 3)), nn.Parameter(torch.zeros(6, 36))
    gradient = drawn(6, 4, 3, 3)
    stepped(Muon([kernel], [], lr=0.1), [kernel], [gradient])
    stepped(Muon([matrix], [], lr=0.1), [matrix], [gradient.flatten(1)])
    assert torch.equal(kernel.detach().flatten(1), matrix.detach())


def test_weights_decay_beside_the_step() -> None:
    weights = [nn.Parameter(torch.ones(4, 4)) for _ in range(2)]
    for weight, decay in zip(weights, (0.0, 0.2), strict=True):
        stepped(Muon([weight], [], lr=0.5, weight_decay=decay), [weight], [drawn(4, 4)])
    torch.testing.assert_close(weights[1].detach(), weights[0].detach() - 0.5 * 0.2)


def test_the_others_are_left_to_adamw() -> None:
    numbers = {"lr": 0.01, "betas": (0.9, 0.98), "weight_decay": 0.1}
    hidden = nn.Parameter(torch.ones(4, 4))
    mine, theirs = (nn.Parameter(drawn(5, 4)) for _ in range(2))
    muon, adamw = Muon([hidden], [{"params": [mine]}], **numbers), torch.optim.AdamW([theirs], **numbers)
    for seed in range(3):
        stepped(muon, [hidden, mine], [drawn(4, 4, seed=seed), drawn(5, 4, seed=seed)])
        stepped(adamw, [theirs], [drawn(5, 4, seed=seed)])
    torch.testing.assert_close(mine, theirs)
    assert set(muon.state[hidden]) == {"momentum"}
