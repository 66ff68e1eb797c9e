import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from attention.naive import Echo
from saccade.attention import EVERYWHERE, Mask, attend
from saccade.attention.local import attend_window
from saccade.errors import ModelError


def tensors(length: int, *, heads: int = 2) -> list[Tensor]:
    return [torch.randn(2, heads, length, 4, requires_grad=True) for _ in range(3)]


@pytest.mark.property
@settings(max_examples=80)
@given(
    length=st.integers(1, 23),
    window=st.integers(1, 12),
    causal=st.booleans(),
    padded=st.none() | st.lists(st.booleans(), min_size=46, max_size=46),
    seed=st.integers(0, 1000),
)
def test_equal_to_full_attention_under_the_band(
    length: int, window: int, causal: bool, padded: list[bool] | None, seed: int
) -> None:
    """Called directly, so that windows wider than the text are tried as well, and through ``attend``."""
    torch.manual_seed(seed)
    query, key, value = tensors(length)
    real = None if padded is None else torch.tensor(padded[: 2 * length]).view(2, length)
    mask = Mask(keys_BK=real, causal=causal, window=window)
    expected = attend(query, key, value, mask=mask, listener=Echo())
    blocked = attend_window(query, key, value, scale=4**-0.5, mask=mask, dropout=0.0)
    torch.testing.assert_close(blocked, expected, atol=2e-6, rtol=1e-5)
    torch.testing.assert_close(attend(query, key, value, mask=mask), expected, atol=2e-6, rtol=1e-5)
    directions = torch.linspace(-1, 1, expected.numel()).view_as(expected)
    for fast, slow in zip(
        torch.autograd.grad((blocked * directions).sum(), (query, key, value)),
        torch.autograd.grad((expected * directions).sum(), (query, key, value)),
        strict=True,
    ):
        torch.testing.assert_close(fast, slow, atol=5e-6, rtol=1e-5)


@pytest.mark.parametrize("causal", [False, True], ids=["both sides", "causal"])
def test_what_lies_outside_the_window_does_not_matter(causal: bool) -> None:
    query, key, value = (t.detach() for t in tensors(40))
    mask = Mask(window=3, causal=causal)
    before = attend(query, key, value, mask=mask)
    key[:, :, 20], value[:, :, 20] = 50.0, -50.0
    changed = (attend(query, key, value, mask=mask) != before).any(-1).any(1).any(0).nonzero().flatten().tolist()
    assert changed == list(range(20 if causal else 17, 24))


def multiplications(length: int, mask: Mask) -> int:
    """Counted by torch, in the kernel whose multiplications it can see."""
    query, key, value = (t.detach() for t in tensors(length))
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        attend(query, key, value, mask=mask)
    return counter.get_total_flops()


@pytest.mark.parametrize("causal", [False, True], ids=["both sides", "causal"])
def test_the_cost_grows_as_r_times_n(causal: bool) -> None:
    narrow, wide = Mask(window=8, causal=causal), Mask(window=16, causal=causal)
    assert multiplications(256, narrow) > 0
    assert multiplications(512, narrow) == 2 * multiplications(256, narrow)
    assert multiplications(1024, narrow) == 4 * multiplications(256, narrow)
    assert multiplications(512, wide) == 2 * multiplications(512, narrow)
    assert multiplications(512, EVERYWHERE) == 4 * multiplications(256, EVERYWHERE)
    assert multiplications(1024, narrow) < multiplications(1024, EVERYWHERE) / 40


def test_causal_costs_two_thirds() -> None:
    """A causal block reaches two blocks, not three."""
    both, causal = Mask(window=8), Mask(window=8, causal=True)
    assert 3 * multiplications(256, causal) == 2 * multiplications(256, both)


def test_dropout_drops_and_keeps_the_mean() -> None:
    query, key, value = (t.detach() for t in tensors(12))
    mask = Mask(window=2)
    drawn = torch.stack([attend(query, key, value, mask=mask, dropout=0.3) for _ in range(2000)])
    assert drawn.std(0).min() > 0
    torch.testing.assert_close(drawn.mean(0), attend(query, key, value, mask=mask), atol=0.12, rtol=0)


def test_needs_a_window() -> None:
    query, key, value = tensors(5)
    with pytest.raises(ModelError, match="restricted attention needs a mask with a window"):
        attend_window(query, key, value, scale=1.0, mask=EVERYWHERE, dropout=0.0)
