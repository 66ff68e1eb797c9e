from collections import Counter

import pytest
import torch

from decoding.chain import BOS, CPU, EOS, Chain, ChainSteps
from saccade.decoding import Samples, sample


def drawn(chain: Chain, limits: list[int], samples: int) -> tuple[ChainSteps, Samples]:
    steps = ChainSteps(chain, list(range(len(limits))), samples)
    return steps, sample(steps, limits, samples, bos_id=BOS, eos_id=EOS, device=CPU)


def test_texts_come_as_often_as_they_are_likely() -> None:
    chain, count = Chain(seed=4), 3000
    _, found = drawn(chain, [2, 3], count)
    texts = [tuple(text) for text in found.texts()]
    for sentence, limit in enumerate((2, 3)):
        seen = Counter(texts[sentence * count : (sentence + 1) * count])
        likely: Counter[tuple[int, ...]] = Counter()
        for text, log_probability, _ in chain.everything(sentence, limit):
            likely[text] += torch.tensor(log_probability).exp().item()  # type: ignore[assignment]
        assert sum(likely.values()) == pytest.approx(1.0)
        for text, probability in likely.items():
            assert seen[text] / count == pytest.approx(probability, abs=4 * (probability / count) ** 0.5 + 1e-3), text


def test_an_end_is_kept_and_nothing_after_it() -> None:
    _, found = drawn(Chain(seed=1), [6] * 40, 2)
    cut = 0
    for written, real, text in zip(found.written_NT, found.real_NT, found.texts(), strict=True):
        length = int(real.sum())
        assert real.tolist() == [True] * length + [False] * (len(real) - length)
        assert text == [token for token in written[:length].tolist() if token != EOS]
        ended = written[length - 1].item() == EOS
        assert len(text) == length - ended
        assert ended or length == 6
        cut += not ended
    assert 0 < cut < 80


def test_each_sentence_has_its_own_limit_and_leaves_when_it_is_done() -> None:
    steps, found = drawn(Chain(seed=2), [1, 9, 2, 1], 3)
    lengths = found.real_NT.sum(dim=1).view(4, 3)
    assert (lengths.amax(dim=1) <= torch.tensor([1, 9, 2, 1])).all()
    assert len(steps.history[0]) == 12
    assert len(steps.history[-1]) == 3
    assert {row.sentence for row in steps.history[-1]} == {1}


def test_the_seed_decides() -> None:
    results = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        results.append(drawn(Chain(seed=3), [5] * 6, 4)[1].texts())
    assert results[0] == results[1] != results[2]
