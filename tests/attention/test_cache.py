import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention import GrowingCache, KeysValues, Mask, MultiHead


@pytest.mark.property
@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 25), min_size=1, max_size=8))
def test_what_was_appended_is_what_is_returned(parts: list[int]) -> None:
    """Through every growth of the buffers, whatever the sizes of the parts."""
    keys, values = torch.randn(2, 3, sum(parts), 4), torch.randn(2, 3, sum(parts), 4)
    cache, end = GrowingCache(), 0
    for part in parts:
        seen = cache.append(keys[:, :, end : end + part], values[:, :, end : end + part])
        end += part
        assert cache.length == end
        assert torch.equal(seen.keys, keys[:, :, :end])
        assert torch.equal(seen.values, values[:, :, :end])


def test_the_buffers_are_not_copied_at_every_step() -> None:
    cache = GrowingCache()
    places = {cache.append(torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 2)).keys.data_ptr() for _ in range(500)}
    assert len(places) <= 7


def test_reorder() -> None:
    keys = torch.arange(3.0).view(3, 1, 1, 1)
    cache = GrowingCache()
    cache.append(keys, keys + 10)
    cache.reorder(torch.tensor([2, 0, 0]))
    seen = cache.append(keys + 100, keys + 110)
    assert seen.keys.flatten(1).tolist() == [[2, 100], [0, 101], [0, 102]]
    assert seen.values.flatten(1).tolist() == [[12, 110], [10, 111], [10, 112]]


def test_rows_may_vanish_even_when_the_buffer_must_grow() -> None:
    keys = torch.arange(3.0).view(3, 1, 1, 1).expand(3, 1, 32, 1)
    cache = GrowingCache()
    cache.append(keys, keys)
    cache.reorder(torch.tensor([1]))
    seen = cache.append(torch.full((1, 1, 40, 1), 7.0), torch.full((1, 1, 40, 1), 8.0))
    assert seen.keys.flatten().tolist() == [1.0] * 32 + [7.0] * 40
    assert seen.values.flatten().tolist() == [1.0] * 32 + [8.0] * 40


def test_an_empty_cache_can_be_reordered() -> None:
    cache = GrowingCache()
    cache.reorder(torch.tensor([1, 0]))
    assert cache.append(torch.ones(2, 1, 1, 1), torch.ones(2, 1, 1, 1)).keys.shape == (2, 1, 1, 1)


def test_keep_takes_both() -> None:
    tensor = torch.arange(4.0).view(4, 1, 1, 1)
    kept = KeysValues(tensor, -tensor).keep(torch.tensor([3, 1]))
    assert kept.keys.flatten().tolist() == [3, 1]
    assert kept.values.flatten().tolist() == [-3, -1]


@pytest.mark.parametrize("parts", [[1] * 20, [20], [7, 1, 1, 11], [3, 17]], ids=str)
@pytest.mark.parametrize("window", [None, 2])
def test_step_by_step_is_all_at_once(parts: list[int], window: int | None) -> None:
    layer = MultiHead(dim=12, heads=3).eval()
    x = torch.randn(2, 20, 12)
    mask = Mask(causal=True, window=window)
    cache, start, found = GrowingCache(), 0, []
    with torch.no_grad():
        for part in parts:
            found.append(layer(x[:, start : start + part], mask=mask, cache=cache))
            start += part
        torch.testing.assert_close(torch.cat(found, 1), layer(x, mask=mask), atol=1e-6, rtol=1e-5)
