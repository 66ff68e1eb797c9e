"""Attention rollout against the sum over all paths, by hand."""

import pytest
import torch

from saccade.attention.rollout import rollout


def test_one_layer_is_half_of_what_it_sees_and_half_itself() -> None:
    weights_HTT = torch.tensor([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [0.5, 0.5]]])
    assert rollout([weights_HTT]).tolist() == [[0.75, 0.25], [0.25, 0.75]]


def test_several_layers_are_all_the_paths_through_them() -> None:
    layers = [torch.rand(3, 4, 4, generator=torch.Generator().manual_seed(n)).softmax(dim=-1) for n in range(3)]
    steps = [(0.5 * one.mean(dim=0) + 0.5 * torch.eye(4)).tolist() for one in layers]
    found = rollout(layers)
    for start in range(4):
        for end in range(4):
            paths = sum(steps[2][start][a] * steps[1][a][b] * steps[0][b][end] for a in range(4) for b in range(4))
            assert found[start, end].item() == pytest.approx(paths, rel=1e-5)
    torch.testing.assert_close(found.sum(dim=1), torch.ones(4))
