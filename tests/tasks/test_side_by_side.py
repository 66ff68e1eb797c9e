import threading
from collections.abc import Iterator

import pytest
import torch

from saccade.tasks import translator
from saccade.tasks.side_by_side import side_by_side
from saccade.tasks.translator import DecodeSettings, Translator
from tasks.parts import member


def numbers(first: int, count: int) -> Iterator[int]:
    for number in range(first, first + count):
        assert not torch.is_grad_enabled()
        yield number


@pytest.mark.parametrize("streams", [1, 2, 3])
def test_everything_comes(streams: int) -> None:
    found = list(side_by_side([numbers(100 * number, 50) for number in range(streams)]))
    assert sorted(found) == [100 * number + i for number in range(streams) for i in range(50)]
    for number in range(streams):
        own = [one for one in found if one // 100 == number]
        assert own == sorted(own)


def test_each_has_its_part_of_the_cores_and_they_are_given_back() -> None:
    torch.set_num_threads(4)

    def threads() -> Iterator[int]:
        yield torch.get_num_threads()

    assert list(side_by_side([threads(), threads()])) == [2, 2]
    assert torch.get_num_threads() == 4


def test_an_error_ends_all() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("no further")

    before = threading.active_count()
    with pytest.raises(ValueError, match="no further"):
        for _ in side_by_side([failing(), numbers(0, 10**9)]):
            pass
    assert threading.active_count() == before


def test_who_stops_listening_stops_them() -> None:
    before = threading.active_count()
    for number in side_by_side([numbers(0, 10**9), numbers(0, 10**9)]):
        if number > 10:
            break
    assert threading.active_count() == before


@pytest.mark.exactness
def test_translations_do_not_depend_on_the_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    one = member()
    words = one.tokenizers.source.pieces(range(4, one.tokenizers.source.vocab_size))
    texts = [" ".join(words[(i * j) % len(words)] for j in range(1, 2 + i % 7)) for i in range(40)]
    settings = DecodeSettings(beam=3, nbest=2, batch_tokens=30)
    monkeypatch.setattr(translator, "LEAST_TEXTS", 4)
    found = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        found.append(Translator([one]).translate(texts, settings))
    for alone, together in zip(*found, strict=True):
        assert [c.text for c in alone.candidates] == [c.text for c in together.candidates]
        assert [c.score for c in together.candidates] == pytest.approx([c.score for c in alone.candidates], abs=1e-5)
