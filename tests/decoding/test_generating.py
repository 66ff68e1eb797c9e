"""Tokens by the model's own probabilities, whatever stands beside; ends where an end is."""

from collections import Counter
from typing import Any

import pytest
import torch

from saccade.decoding import Generating, Generation, New, Sampling
from saccade.errors import DecodingError
from saccade.models import LanguageModel, Vocabulary, build_model

CPU = torch.device("cpu")
EOS, VOCABULARY = 2, 12
GREEDY = Sampling(temperature=0)
PROMPTS = [[1, 5, 6, 7], [1], [1, 9, 8], [1, 3, 4, 5, 6, 7, 8]]


def model(preset: str = "gpt-mini", **options: Any) -> LanguageModel:
    torch.manual_seed(3)
    sizes: dict[str, Any] = {"dim": 16}
    if preset == "gpt-mini":
        sizes |= {"heads": 2, "layers": 2, "max_length": 16}
    made = build_model(preset, {**sizes, **options}, Vocabulary(VOCABULARY, VOCABULARY, shared=True))
    assert isinstance(made, LanguageModel)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return made.eval()


def written(made: LanguageModel, prompts: list[list[int]], settings: Generating, **options: Any) -> list[list[New]]:
    """What each text was given, in order."""
    generation = Generation(made, prompts, settings, eos_id=EOS, device=CPU, **options)
    found: list[list[New]] = [[] for _ in range(len(prompts) * settings.tries)]
    while new := generation.step():
        for one in new:
            found[one.text].append(one)
    return found


def tokens(news: list[New]) -> list[int | None]:
    return [one.token for one in news]


@pytest.mark.parametrize("preset", ["gpt-mini", "lstmn-lm", "rnn-lm"])
def test_greedy_takes_the_likeliest_and_says_how_likely_it_was(preset: str) -> None:
    made = model(preset)
    for prompt, found in zip(PROMPTS, written(made, PROMPTS, Generating(max_tokens=6, sampling=GREEDY)), strict=True):
        ids = list(prompt)
        for new in found:
            with torch.no_grad():
                likely = made.logits(made(torch.tensor([ids])))[0, -1].log_softmax(-1)
            token = int(likely.argmax())
            assert new.token == (None if token == EOS else token)
            assert new.log_probability == pytest.approx(likely[token].item(), abs=1e-4)
            ids.append(token)
        assert [one.end for one in found[:-1]] == [None] * (len(found) - 1)
        assert found[-1].end == ("end" if found[-1].token is None else "length")
        assert found[-1].token is None or len(found) == 6


def test_tries_come_as_often_as_they_are_likely() -> None:
    made, count = model(), 3000
    found = written(made, [[1, 5]], Generating(max_tokens=1, tries=count, sampling=Sampling(temperature=1.0)))
    seen = Counter(EOS if one.token is None else one.token for (one,) in found)
    with torch.no_grad():
        expected = made.logits(made(torch.tensor([[1, 5]])))[0, -1].softmax(-1)
    for token, probability in enumerate(expected.tolist()):
        assert seen[token] / count == pytest.approx(probability, abs=4 * (probability / count) ** 0.5 + 1e-3)


@pytest.mark.parametrize("preset", ["gpt-mini", "lstmn-lm"])
def test_a_try_does_not_know_its_companions(preset: str) -> None:
    """Alone or beside others, some of which end early: the same tokens with the same likelihood."""
    made, settings = model(preset), Generating(max_tokens=9, tries=5, sampling=Sampling(temperature=4.0, top_p=0.98))
    together = written(made, PROMPTS, settings)
    assert {one[-1].end for one in together} >= {"end", "length"}
    for number, prompt in enumerate(PROMPTS):
        alone = written(made, [prompt], settings, first=number)
        for one, other in zip(alone, together[5 * number : 5 * number + 5], strict=True):
            assert tokens(one) == tokens(other)
            assert [n.log_probability for n in one] == pytest.approx([n.log_probability for n in other], abs=1e-4)
    assert len({tuple(tokens(one)) for one in together}) > 10, "tries must differ"


def test_the_seed_decides() -> None:
    made = model()

    def drawn(seed: int) -> list[list[int | None]]:
        return [tokens(one) for one in written(made, PROMPTS, Generating(max_tokens=5, tries=3, seed=seed))]

    assert drawn(4) == drawn(4) != drawn(5)


def test_a_text_ends_with_the_context() -> None:
    """16 positions: after a prompt of n tokens there is room for 17 − n, the last of which is never read."""
    made = model()
    prompts = [[1] * 3, [1] * 16, [1] * 12]
    generation = Generation(made, prompts, Generating(max_tokens=100, sampling=GREEDY), eos_id=-1, device=CPU)
    counts, ends = Counter[int](), {}
    while new := generation.step():
        for one in new:
            counts[one.text] += 1
            ends[one.text] = one.end
    assert counts == {0: 14, 1: 1, 2: 5}
    assert set(ends.values()) == {"context"}


def test_a_text_that_is_stopped_leaves_the_others_alone() -> None:
    made, settings = model(), Generating(max_tokens=8, sampling=GREEDY)
    generation = Generation(made, PROMPTS, settings, eos_id=-1, device=CPU)
    found: list[list[int | None]] = [[] for _ in PROMPTS]
    while new := generation.step():
        for one in new:
            found[one.text].append(one.token)
            if len(found[one.text]) == one.text + 1:
                generation.stop(one.text)
    alone = Generation(made, PROMPTS[3:], settings, eos_id=-1, device=CPU)
    assert [len(text) for text in found] == [1, 2, 3, 4]
    assert found[3] == [one.token for _ in range(4) for one in alone.step()]


def test_a_prompt_beyond_the_context() -> None:
    with pytest.raises(
        DecodingError,
        match=r"prompt 3 has 17 tokens with the start mark, but the model's context ends at 16: give a shorter prompt",
    ):
        Generation(model(), [[1], [1] * 17], Generating(), eos_id=EOS, device=CPU, first=1)


def test_no_prompt_at_all() -> None:
    assert Generation(model(), [], Generating(), eos_id=EOS, device=CPU).step() == []
    with pytest.raises(DecodingError, match="prompt 1 has no token to begin with: give at least the start mark"):
        Generation(model(), [[]], Generating(), eos_id=EOS, device=CPU)


def test_spoilt_weights() -> None:
    made = model()
    torch.nn.init.constant_(made.decoder.norm.weight, torch.nan)
    with pytest.raises(DecodingError, match="gives no token a probability: its weights are spoilt"):
        Generation(made, [[1]], Generating(), eos_id=EOS, device=CPU).step()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_tokens": 0}, "at least 1 token is written, got max-tokens 0"),
        ({"tries": 0}, "there is at least 1 try for each prompt, got 0"),
        ({"seed": -1}, "the seed is 0 or above, got -1"),
        ({"tries": 4, "sampling": GREEDY}, "4 tries without chance would all be the same text: raise the temperature"),
    ],
)
def test_what_cannot_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(DecodingError, match=message):
        Generating(**settings)
