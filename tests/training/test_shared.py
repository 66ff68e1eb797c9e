import os

import torch

from saccade.training.shared import SharedTensors


def test_two_views_of_the_memory_see_each_other() -> None:
    like = [torch.empty(3, 5), torch.empty(7)]
    one = SharedTensors(like, copies=2)
    other = SharedTensors(like, copies=2, descriptor=os.dup(one.descriptor))
    one.copy(0)[0].fill_(2.0)
    one.copy(1)[1].fill_(3.0)
    assert [tensor.shape for tensor in other.copy(1)] == [tensor.shape for tensor in like]
    assert torch.equal(other.copy(0)[0], torch.full((3, 5), 2.0))
    assert torch.equal(other.copy(0)[1], torch.zeros(7))
    other.zero(1)
    assert not one.copy(1)[1].any()
    assert one.copy(0)[0].all()


def test_every_tensor_is_aligned_as_torchs_own() -> None:
    shared = SharedTensors([torch.empty(1), torch.empty(17), torch.empty(5, 5)], copies=3)
    assert all(tensor.data_ptr() % 64 == 0 for number in range(3) for tensor in shared.copy(number))
