import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.attention import Ancestry, GrowingCache, KeysValues, Mask, MultiHead
from saccade.errors import ModelError


@pytest.mark.property
@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 25), min_size=1, max_size=8))
def test_what_was_appended_is_what_is_returned(parts: list[int]) -> None:
    """Through every growth of the buffers, whatever the sizes of the parts."""
    keys, values = torch.randn(2, 3, sum(parts), 4), torch.randn(2, 3, sum(parts), 4)
    cache, end = alone(2), 0
    for part in parts:
        seen = cache.append(keys[:, :, end : end + part], values[:, :, end : end + part])
        end += part
        assert cache.length == end
        assert torch.equal(seen.keys, keys[:, :, :end])
        assert torch.equal(seen.values, values[:, :, :end])


def test_the_buffers_are_not_copied_at_every_step() -> None:
    cache = alone(1)
    places = {cache.append(torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 2)).keys.data_ptr() for _ in range(500)}
    assert len(places) <= 7


def alone(sentences: int) -> GrowingCache:
    return GrowingCache(Ancestry(sentences))


class Beams:
    """Two sentences of two rows; each key says who wrote it: 100 · step + row."""

    def __init__(self) -> None:
        self.ancestry = Ancestry(2)
        self.cache = GrowingCache(self.ancestry)

    def step(self) -> tuple[KeysValues, Mask]:
        self.ancestry.grow(2 * self.ancestry.sentences, torch.device("cpu"))
        keys = 100.0 * (self.ancestry.steps - 1) + torch.arange(2.0 * self.ancestry.sentences).view(-1, 1, 1, 1)
        return self.cache.append(keys, keys + 0.5), self.ancestry.mask(window=None)

    def prefixes(self, seen: KeysValues, mask: Mask) -> list[list[float]]:
        """What each row sees, in order."""
        assert torch.equal(seen.values, seen.keys + 0.5)
        allowed = mask.allowed(2, seen.keys.shape[2], seen.keys.device)
        assert allowed is not None
        return [
            seen.keys[b, 0, allowed[b, 0, w], 0].tolist()
            for b in range(len(seen.keys))
            for w in range(allowed.shape[2])
        ]


def test_rows_see_what_they_descend_from() -> None:
    beams = Beams()
    beams.step()
    beams.ancestry.reorder(torch.tensor([1, 1, 3, 2]))
    place = beams.step()[0].keys.data_ptr()
    beams.ancestry.reorder(torch.tensor([0, 1, 3, 3]))
    seen, mask = beams.step()
    assert beams.prefixes(seen, mask) == [[1, 100, 200], [1, 101, 201], [2, 103, 202], [2, 103, 203]]
    assert seen.keys.data_ptr() == place  # nothing was copied


def test_sentences_that_are_kept_go_on() -> None:
    beams = Beams()
    beams.step()
    beams.ancestry.keep(torch.tensor([1]), torch.tensor([3, 3]))
    beams.cache.keep(torch.tensor([1]))
    for _ in range(40):  # through the growth of the buffer
        seen, mask = beams.step()
    rest = [100.0 * step for step in range(1, 41)]
    assert beams.prefixes(seen, mask) == [[3.0, *rest], [3.0, *(each + 1 for each in rest)]]


@pytest.mark.parametrize("window", [1, 2, 5])
def test_the_window_of_beams_ends_with_the_newest(window: int) -> None:
    beams = Beams()
    for _ in range(4):
        seen, _ = beams.step()
    found = beams.prefixes(seen, beams.ancestry.mask(window))
    assert found[1] == [1.0, 101.0, 201.0, 301.0][-window - 1 :]


def test_rows_must_divide_among_the_sentences() -> None:
    with pytest.raises(ModelError, match="5 rows do not divide among 2 sentences"):
        Ancestry(2).grow(5, torch.device("cpu"))


def test_a_row_alone_needs_no_table() -> None:
    ancestry = Ancestry(3)
    ancestry.grow(3, torch.device("cpu"))
    ancestry.reorder(torch.tensor([0, 1, 2]))
    assert ancestry.mask(None) == Mask()


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
    cache, start, found = alone(2), 0, []
    with torch.no_grad():
        for part in parts:
            found.append(layer(x[:, start : start + part], mask=mask, cache=cache))
            start += part
        torch.testing.assert_close(torch.cat(found, 1), layer(x, mask=mask), atol=1e-6, rtol=1e-5)
