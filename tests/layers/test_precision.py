import torch

from saccade.layers.precision import all_bits


def test_nothing_is_rounded_within() -> None:
    whole, rounded, double = torch.ones(2, 2), torch.ones(2, 2).bfloat16(), torch.ones(2, 2).double()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (whole @ whole).dtype == torch.bfloat16
        with all_bits(whole, rounded, double) as given:
            assert [one.dtype for one in given] == [torch.float32, torch.float32, torch.float64]
            assert (given[0] @ given[1]).dtype == torch.float32
        assert (whole @ whole).dtype == torch.bfloat16


def test_what_was_not_rounded_is_given_back_as_it_is() -> None:
    tensor = torch.ones(2)
    with all_bits(tensor) as (same,):
        assert same is tensor
