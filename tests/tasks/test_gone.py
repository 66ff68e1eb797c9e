"""Texts that nobody waits for any more leave what is under way, and the others do not notice."""

from saccade.attention import record
from saccade.decoding import Chance, Generating, Sampling
from saccade.tasks.continuing import generate
from saccade.tasks.translator import DecodeSettings, Translator
from tasks.parts import member
from tasks.texts import language_model, text_tokenizer

TEXTS = [f"the {a} {b}" for a in ("red", "blue", "green") for b in ("star", "tree", "ball")]
DECODE = DecodeSettings(beam=3, max_length=30)


def test_a_translation_is_given_up_and_the_others_stay_what_they_are() -> None:
    one = member()
    plain = Translator([one]).translate(TEXTS, DECODE)
    asked: list[int] = []

    def gone(number: int) -> bool:
        asked.append(number)
        return number in (1, 4) and asked.count(number) > 3

    found = Translator([one]).translate(TEXTS, DECODE, gone=gone)
    assert [one.text for one in found] == ["" if i in (1, 4) else plain[i].text for i in range(len(TEXTS))]
    assert asked.count(1) == asked.count(4) == 4, "it was stepped on after it had left"
    assert max(map(asked.count, range(len(TEXTS)))) > 4


def test_when_all_are_gone_nothing_is_left_to_do() -> None:
    steps: list[int] = []
    found = Translator([member()]).translate(TEXTS, DECODE, gone=lambda number: bool(steps.append(number) or True))
    assert [one.text for one in found] == [""] * len(TEXTS)
    assert len(steps) == len(TEXTS)


def test_of_those_who_are_gone_nothing_is_recorded() -> None:
    one = member()
    with record(one.model, "decoder.0.cross") as seen:
        Translator([one]).translate(TEXTS, DECODE, gone=lambda number: number == 2)
    assert sorted(seen["decoder.0.cross"].sentences) == [0, 1, 3, 4, 5, 6, 7, 8]


def test_a_language_model_gives_up_a_prompt() -> None:
    tokenizer = text_tokenizer()
    model = language_model(tokenizer)
    settings = Generating(max_tokens=12, sampling=Sampling(temperature=0))
    plain = generate(model, tokenizer, ["the red", "the blue"], settings)
    found = generate(model, tokenizer, ["the red", "the blue"], settings, gone=lambda number: number == 0)
    assert len(found[0].tries[0].tokens) == 1
    assert found[1].tries[0].tokens == plain[1].tries[0].tokens


def test_a_prompt_with_its_own_chance_is_written_as_if_asked_for_alone() -> None:
    tokenizer = text_tokenizer()
    model = language_model(tokenizer)
    prompts = ["the red", "the blue star", "the"]
    alone = [generate(model, tokenizer, [text], Generating(max_tokens=9, seed=n))[0] for n, text in enumerate(prompts)]
    chances = [Chance(seed, 0) for seed in range(3)]
    together = generate(model, tokenizer, prompts, Generating(max_tokens=9), chances=chances)
    assert [one.text for one in together] == [one.text for one in alone]
