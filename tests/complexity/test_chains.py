import torch
from torch import Tensor

from saccade.complexity.chains import longest_chain
from saccade.complexity.theory import TYPES
from saccade.complexity.works import Shape, works


def test_chains_by_hand() -> None:
    x = torch.ones(4, 4)

    def two_ways() -> Tensor:
        short = x + 1
        long = ((x * 2) @ x).relu()
        return short + long

    def in_place() -> Tensor:
        y = x * 2
        y.add_(1)
        return y.mul_(3)

    assert longest_chain(lambda: x) == 0
    assert longest_chain(lambda: x.view(16)[3:].view(13)) == 0, "a view computes nothing"
    assert longest_chain(two_ways) == 4
    assert longest_chain(in_place) == 3


def test_what_does_not_lead_to_the_result_is_not_counted() -> None:
    x = torch.ones(4)

    def run() -> Tensor:
        (((x + 1) * 2) / 3).exp()
        return x + 1

    assert longest_chain(run) == 1


def test_only_a_recurrence_waits_longer_for_longer_inputs() -> None:
    lengths = (32, 48, 96)
    for name in TYPES:
        for work in works(name, kernel=3, window=4):
            chain = [longest_chain(work.build(Shape(1, length, 8))) for length in lengths]
            if name == "recurrent":
                steps = [
                    (late - early) / (n - m)
                    for m, n, early, late in zip(lengths, lengths[1:], chain, chain[1:], strict=False)
                ]
                assert steps[0] == steps[1] >= 2, "a product with the state and a tanh at least, at every position"
            else:
                assert len(set(chain)) == 1, work.name


def test_attention_is_one_kernel_or_four() -> None:
    fused, held, _ = works("self-attention", kernel=3, window=4)
    assert longest_chain(fused.build(Shape(1, 32, 8))) == 1
    assert longest_chain(held.build(Shape(1, 32, 8))) == 4, "scores, scaling, softmax, weighted sum"
