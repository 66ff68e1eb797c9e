import pytest
import torch

from saccade.data.tokenizers import TextStream, Tokenizer, train_tokenizer
from saccade.decoding import BeamSettings, End, Generating, ModelSteps, New, Sampling, beam_search
from saccade.errors import DecodingError
from saccade.models import LanguageModel
from saccade.tasks import continuing
from saccade.tasks.continuing import Generated, Try, _Text, continued, generate
from tasks.texts import language_model, text_tokenizer, texts


def test_the_most_likely_token_every_time() -> None:
    tokenizer = text_tokenizer()
    model = language_model(tokenizer)
    prompts = [ids[:cut] for ids, cut in zip(tokenizer.encode_batch(texts(3)), (5, 2, 0), strict=True)]
    found = continued(model, tokenizer, prompts, most=6)
    for prompt, text in zip(prompts, found, strict=True):
        ids = [tokenizer.bos_id, *prompt]
        expected = []
        for _ in range(6):
            token = int(model.logits(model(torch.tensor([ids])))[0, -1].argmax())
            if token == tokenizer.eos_id:
                break
            expected.append(token)
            ids.append(token)
        assert text == expected


def test_a_search_writes_the_same() -> None:
    """A language model is decoded through the same steps as a translator: here with a beam of 1, from nothing."""
    tokenizer = text_tokenizer()
    model = language_model(tokenizer)
    with torch.no_grad():
        search = beam_search(
            lambda texts: ModelSteps(model, torch.zeros(len(texts), 0, dtype=torch.long)),
            [7, 7],
            BeamSettings(beam=1),
            bos_id=tokenizer.bos_id,
            eos_id=tokenizer.eos_id,
            device=torch.device("cpu"),
        )
        found = [one.hypotheses[0].tokens for one in search]
    assert [list(tokens) for tokens in found] == continued(model, tokenizer, [[], []], most=7)


def test_the_end_mark_ends_a_text() -> None:
    tokenizer = text_tokenizer()
    model = language_model(tokenizer, embeddings="separate")
    with torch.no_grad():
        model.output.weight.zero_()
        model.output.weight[tokenizer.eos_id] = 1000 * torch.sign(model(torch.tensor([[tokenizer.bos_id]]))[0, 0])
    assert continued(model, tokenizer, [[]], most=9) == [[]]
    assert continued(model, tokenizer, [], most=9) == []


def gpt(tokenizer: Tokenizer, **options: int) -> LanguageModel:
    return language_model(tokenizer, preset="gpt-mini", heads=2, layers=2, **options)


@pytest.mark.parametrize("kind", ["bpe", "characters", "words"])
def test_prompt_and_text_are_the_whole_and_what_is_shown_is_the_text(kind: str) -> None:
    tokenizer = train_tokenizer([*texts(24), "über\nänderung 🙂"], kind=kind)  # type: ignore[arg-type]
    model, shown = gpt(tokenizer), {}

    def show(prompt: int, attempt: int, text: str) -> None:
        assert text
        shown[prompt, attempt] = shown.get((prompt, attempt), "") + text

    prompts = ["the red star", "", "the blue\ntree"]
    settings = Generating(max_tokens=12, tries=3, sampling=Sampling(temperature=1.5))
    found = generate(model, tokenizer, prompts, settings, show=show)
    assert [one.prompt for one in found] == prompts
    for number, one in enumerate(found):
        assert {each.attempt: each.text for each in one.tries} == {k: shown.get((number, k), "") for k in range(3)}
        assert [each.score for each in one.tries] == sorted((each.score for each in one.tries), reverse=True)
        assert one.text == one.tries[0].text
        ids = tokenizer.encode(one.prompt).ids
        for each in one.tries:
            assert one.prompt + each.text == tokenizer.decode([*ids, *each.tokens])
            read = torch.tensor([[tokenizer.bos_id, *ids, *each.tokens]])
            written = [*each.tokens, *([tokenizer.eos_id] if each.end == "end" else [])]
            with torch.no_grad():
                likely = model.logits(model(read))[0, len(ids) :].log_softmax(-1)
            total = sum(likely[t, token].item() for t, token in enumerate(written))
            assert each.log_probability == pytest.approx(total, abs=1e-3)
            assert each.score == pytest.approx(total / len(written), abs=1e-3)


def test_prompts_that_do_not_fit_together_are_written_after_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = text_tokenizer()
    model, settings = gpt(tokenizer), Generating(max_tokens=6, tries=2)
    together = generate(model, tokenizer, texts(5), settings)
    monkeypatch.setattr(continuing, "BATCH_TOKENS", 60)
    found = generate(model, tokenizer, texts(5), settings)
    assert [[each.text for each in one.tries] for one in found] == [[e.text for e in one.tries] for one in together]
    assert generate(model, tokenizer, [], settings) == []


def shown_of(words: str, stops: list[str], last: End = "length") -> tuple[list[str], Try]:
    """A text that comes character by character: what is shown at each, and what it is in the end."""
    tokenizer = train_tokenizer([words], kind="characters")
    text = _Text(TextStream(tokenizer), stops)
    shown = []
    for place, token in enumerate(tokenizer.encode(words).ids):
        shown.append(text.add(New(0, token, -1.0, last if place == len(words) - 1 else None)))
        if text.end is not None:
            break
    return shown, text.done(0)


def test_a_stop_string_ends_a_text_and_is_never_shown() -> None:
    shown, done = shown_of("abcabd.", ["abd", "zz"])
    assert shown == ["", "", "abc", "", "", ""]
    assert (done.text, done.end, len(done.tokens)) == ("abc", "stop", 6)
    assert done.log_probability == -6


def test_what_only_looked_like_a_stop_string_is_shown_in_the_end() -> None:
    shown, done = shown_of("xab", ["abd"])
    assert shown == ["x", "", "ab"]
    assert (done.text, done.end) == ("xab", "length")


def test_of_two_stop_strings_the_first_in_the_text_counts() -> None:
    assert shown_of("one two three", ["three", "two"])[1].text == "one "
    assert shown_of("ab", ["ab"], last="end")[1].end == "stop"


def test_an_unfinished_character_is_shown_when_nothing_can_complete_it() -> None:
    tokenizer = train_tokenizer(["plain"], kind="bpe")
    ids = tokenizer.encode("🙂").ids
    assert len(ids) > 2
    text = _Text(TextStream(tokenizer, tokenizer.encode("a").ids), [])
    shown = [text.add(New(0, token, 0.0, None)) for token in ids[:-1]]
    assert "".join(shown).strip() == ""
    assert text.add(New(0, None, 0.0, "end")) == "�"


def test_an_empty_stop_string() -> None:
    tokenizer = text_tokenizer()
    with pytest.raises(DecodingError, match="a stop string has at least one character, got an empty one"):
        generate(gpt(tokenizer), tokenizer, ["a"], Generating(), stop=["x", ""])


def test_results_of_nothing() -> None:
    with pytest.raises(DecodingError, match="this text is still being written"):
        _Text(TextStream(text_tokenizer()), []).done(0)
    assert Try("", (), -0.5, "end").score == -0.5
    assert Generated("a", (Try("b", (4,), -1.0, "length"),)).text == "b"
