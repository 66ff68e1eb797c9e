import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from saccade.attention import Ancestry, GrowingCache, KeysValues, Mask, MultiHead
from saccade.errors import ModelError

CPU = torch.device("cpu")


class Beams:
    """Sentences of two rows; each key says who wrote it: 100 · step + row."""

    def __init__(self, sentences: int) -> None:
        self.ancestry = Ancestry(sentences, CPU)
        self.cache = GrowingCache(self.ancestry)
        self.steps = 0

    def step(self) -> KeysValues:
        self.ancestry.grow(2 * self.ancestry.sentences)
        keys = 100.0 * self.steps + torch.arange(2.0 * self.ancestry.sentences).view(-1, 1, 1, 1)
        self.steps += 1
        return self.cache.append(keys, keys + 0.5)

    def keep(self, sentences: list[int], rows: list[int]) -> None:
        slots = self.ancestry.keep(torch.tensor(sentences), torch.tensor(rows))
        self.cache.keep(torch.tensor(sentences))
        self.cache.give_up(slots)

    def join(self, sentences: int) -> None:
        self.ancestry.join(sentences)
        self.cache.join(sentences)

    def replace(self, place: int) -> None:
        self.cache.give_up(self.ancestry.replace(torch.tensor([place])))

    def prefixes(self, seen: KeysValues, *, window: int | None = None) -> list[list[float]]:
        """What each row sees."""
        allowed = self.ancestry.mask(window).allowed(2, seen.keys.shape[2], CPU)
        assert allowed is not None
        found = []
        for b in range(len(seen.keys)):
            for w in range(2):
                keys, values = (tensor[b, 0, allowed[b, 0, w], 0] for tensor in (seen.keys, seen.values))
                assert torch.equal(values, keys + 0.5)
                found.append(sorted(keys.tolist()))
        return found


def test_rows_see_what_they_descend_from() -> None:
    beams = Beams(2)
    beams.step()
    beams.ancestry.reorder(torch.tensor([1, 1, 3, 2]))
    place = beams.step().keys.data_ptr()
    beams.ancestry.reorder(torch.tensor([0, 1, 3, 3]))
    seen = beams.step()
    assert beams.prefixes(seen) == [[1, 100, 200], [1, 101, 201], [2, 103, 202], [2, 103, 203]]
    assert seen.keys.data_ptr() == place  # nothing was copied


@pytest.mark.property
@settings(max_examples=60)
@given(st.data())
def test_whatever_happens_rows_see_what_they_descend_from(data: st.DataObject) -> None:
    """Rows part and meet, sentences leave, join and change, buffers grow: against lists that are copied every time."""
    beams = Beams(3)
    expected: list[list[float]] = [[] for _ in range(6)]
    for step in range(data.draw(st.integers(1, 40))):
        sentences = len(expected) // 2
        rows = [2 * (row // 2) + data.draw(st.integers(0, 1)) for row in range(2 * sentences)]
        if step and sentences > 1 and data.draw(st.booleans()):
            kept = sorted(data.draw(st.sets(st.integers(0, sentences - 1), min_size=1)))
            rows = [rows[2 * sentence + w] for sentence in kept for w in (0, 1)]
            beams.keep(kept, rows)
        elif step:
            beams.ancestry.reorder(torch.tensor(rows))
        expected = [list(expected[row]) for row in rows]
        if step and len(expected) < 10 and data.draw(st.booleans()):
            beams.join(1)
            expected += [[], []]
        if step and data.draw(st.booleans()):
            place = data.draw(st.integers(0, len(expected) // 2 - 1))
            beams.replace(place)
            expected[2 * place : 2 * place + 2] = [[], []]
        seen = beams.step()
        for row, prefix in enumerate(expected):
            prefix.append(100.0 * step + row)
        assert beams.prefixes(seen) == expected
        assert beams.prefixes(seen, window=2) == [prefix[-3:] for prefix in expected]
        assert beams.ancestry.positions(len(expected)).tolist() == [len(prefix) for prefix in expected]


def test_the_buffers_are_not_copied_at_every_step() -> None:
    beams = Beams(1)
    assert len({beams.step().keys.data_ptr() for _ in range(500)}) <= 8


def test_slots_that_nobody_descends_from_are_given_up() -> None:
    beams = Beams(1)
    for _ in range(30):
        beams.step()
        beams.ancestry.reorder(torch.tensor([1, 1]))
    beams.keep([0], [0, 1])
    assert beams.step().keys.shape[2] == 30 + 2


@pytest.mark.parametrize("rows", [5, 6])
def test_rows_must_divide_among_the_sentences(rows: int) -> None:
    ancestry = Ancestry(2, CPU)
    if rows == 6:
        ancestry.grow(4)
    with pytest.raises(ModelError, match=f"{rows} rows do not divide among 2 sentences"):
        ancestry.grow(rows)


def test_a_cache_grows_with_its_ancestry() -> None:
    with pytest.raises(ModelError, match="call grow"):
        GrowingCache(Ancestry(1, CPU)).append(torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 2))


def test_a_listener_hears_of_positions() -> None:
    beams = Beams(1)
    for rows in ([0, 1], [1, 0], [1, 1]):
        seen = beams.step()
        beams.ancestry.reorder(torch.tensor(rows))
    beams.ancestry.grow(2)
    own = beams.ancestry.mask(None).pairs_BQK
    assert own is not None
    weights = torch.rand(2, 3, 1, own.shape[2]) * own.view(2, 1, 1, -1)

    class Doubling:
        heard: Tensor

        def see(self, weights_NHQK: Tensor) -> Tensor:
            self.heard = weights_NHQK
            return 2 * weights_NHQK

    inner = Doubling()
    changed = beams.ancestry.listener(inner).see(weights)
    assert inner.heard.shape == (2, 3, 1, 4)
    torch.testing.assert_close(inner.heard.sum(-1), weights.sum(-1))
    # Both rows descend from row 1 of the third step, which was row 0 in the second and in the first.
    torch.testing.assert_close(inner.heard[0, :, 0], weights[0, :, 0][:, [0, 2, 5, 6]])
    torch.testing.assert_close(changed, 2 * weights)
    assert seen.keys.shape[2] == 6


@pytest.mark.parametrize("laid_out", [False, True])
def test_sources_leave_and_join(laid_out: bool) -> None:
    tensor = torch.randn(4, 2, 5, 3)
    sources = KeysValues(tensor, -tensor)
    sources = sources.for_steps() if laid_out else sources
    kept = sources.keep(torch.tensor([3, 1])).first(4)
    both = kept.join(KeysValues(tensor[:1], -tensor[:1]))
    assert torch.equal(both.keys[:2, :, :4], tensor[[3, 1], :, :4])
    assert not both.keys[:2, :, 4:].any()
    assert torch.equal(both.keys[2:], tensor[:1])
    assert torch.equal(both.values, -both.keys)
    assert kept.keys.mT.stride()[-1] == 1


def test_sources_take_the_places_of_others_in_the_same_memory() -> None:
    tensor, others = torch.randn(3, 2, 5, 3), torch.randn(2, 2, 4, 3)
    sources = KeysValues(tensor, -tensor).for_steps()
    found = sources.replace(torch.tensor([2, 0]), KeysValues(others, -others))
    assert torch.equal(found.keys[[2, 0], :, :4], others)
    assert torch.equal(found.keys[1], tensor[1])
    assert torch.equal(found.values[:, :, :4], -found.keys[:, :, :4])
    assert found.keys.data_ptr() == sources.keys.data_ptr()
    longer = found.replace(torch.tensor([1]), KeysValues(torch.ones(1, 2, 7, 3), torch.ones(1, 2, 7, 3)))
    assert longer.keys.shape == (3, 2, 7, 3)
    assert not longer.keys[0, :, 5:].any()


@pytest.mark.parametrize("window", [None, 2])
def test_step_by_step_is_all_at_once(window: int | None) -> None:
    layer = MultiHead(dim=12, heads=3).eval()
    x = torch.randn(2, 20, 12)
    ancestry = Ancestry(2, CPU)
    cache, found = GrowingCache(ancestry), []
    with torch.no_grad():
        for t in range(20):
            ancestry.grow(2)
            found.append(layer(x[:, t : t + 1], mask=ancestry.mask(window), cache=cache))
        expected = layer(x, mask=Mask(causal=True, window=window))
        torch.testing.assert_close(torch.cat(found, 1), expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("window", [None, 2])
@pytest.mark.parametrize("lengths", [(4, 4), (1, 4), (4, 2)])
def test_several_tokens_at_once_are_all_at_once(window: int | None, lengths: tuple[int, int]) -> None:
    """After a few single steps a row reads up to four tokens together, then single ones again."""
    layer = MultiHead(dim=12, heads=3).eval()
    x = torch.randn(2, 12, 12)
    ancestry = Ancestry(2, CPU)
    cache, place = GrowingCache(ancestry), [0, 0]
    with torch.no_grad():
        expected = layer(x, mask=Mask(causal=True, window=window))
        for tokens in (1, 1, 4, 1, 1):
            read = lengths if tokens == 4 else (1, 1)
            newest = torch.stack([x[row, place[row] : place[row] + tokens] for row in range(2)])
            ancestry.grow(2, tokens=tokens, lengths_B=None if tokens == 1 else torch.tensor(read))
            found = layer(newest, mask=ancestry.mask(window), cache=cache)
            for row in range(2):
                end = place[row] + read[row]
                torch.testing.assert_close(
                    found[row, : read[row]], expected[row, place[row] : end], atol=1e-6, rtol=1e-5
                )
                place[row] = end
            assert ancestry.positions(2).tolist() == place


@pytest.mark.parametrize("lengths", [None, (2, 5)])
def test_a_listener_hears_of_positions_while_prompts_are_read(lengths: tuple[int, int] | None) -> None:
    layer = MultiHead(dim=12, heads=3).eval()
    x = torch.randn(2, 6, 12)

    class Hearing:
        heard: Tensor

        def see(self, weights_NHQK: Tensor) -> None:
            self.heard = weights_NHQK.clone()

    layer.listener = inner = Hearing()
    ancestry = Ancestry(2, CPU)
    cache, read = GrowingCache(ancestry), lengths or (5, 5)
    with torch.no_grad():
        layer(x, mask=Mask(causal=True))
        whole = inner.heard
        ancestry.grow(2, tokens=5, lengths_B=None if lengths is None else torch.tensor(lengths))
        layer(x[:, :5], mask=ancestry.mask(None), cache=cache)
        prompt = inner.heard
        ancestry.grow(2)
        newest = torch.stack([x[row, length] for row, length in enumerate(read)])[:, None]
        layer(newest, mask=ancestry.mask(None), cache=cache)
    for row, length in enumerate(read):
        torch.testing.assert_close(prompt[row, :, :length, :length], whole[row, :, :length, :length])
        torch.testing.assert_close(inner.heard[row, :, 0, : length + 1], whole[row, :, length, : length + 1])


def test_even_rows_need_no_table() -> None:
    """One row for each sentence, all of one age: also after a longer one has left."""
    ancestry = Ancestry(3, CPU)
    ancestry.grow(3, tokens=4)
    assert ancestry.mask(None).pairs_BQK is None
    ancestry.keep(torch.tensor([0, 2, 2]), torch.tensor([0, 2, 2]))
    ancestry.grow(3, tokens=3, lengths_B=torch.tensor([1, 3, 1]))
    ancestry.grow(3)
    assert ancestry.mask(None).pairs_BQK is not None
    ancestry.keep(torch.tensor([0, 2]), torch.tensor([0, 2]))
    ancestry.grow(2)
    assert ancestry.mask(None).pairs_BQK is None
    assert ancestry.slots == 4 + 1 + 1 + 1


def test_beams_read_one_token_at_a_time() -> None:
    with pytest.raises(ModelError, match="the 2 rows of a sentence read one token at a time, not 3"):
        Ancestry(1, CPU).grow(2, tokens=3)
