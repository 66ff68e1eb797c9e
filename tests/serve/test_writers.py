"""Translating, completing and captioning: the answers are those of the runs themselves."""

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from command import command
from saccade.runs import CaptionRun, LanguageRun, Run, TranslationRun, load
from serve.service import Service

LINES = ["a red circle is left of two blue squares", "", "two big dogs", "  ", "the woman wears a white jacket"]
ODD = [
    "<script>alert('&amp;')</script> two dogs",
    "שלום עולם — مرحبا",
    "👩‍👩‍👧‍👦 two 🐕 dogs",
    "two\x00big\x1bdogs\x7f\u2028here\r\n",
    "\u202etwo dogs\u202c",
    "￿ \ufeff two",
]


def picture() -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.random.default_rng(1).integers(0, 255, (40, 50, 3), dtype=np.uint8)).save(out, "PNG")
    return out.getvalue()


def test_translations_are_those_of_the_command_line(service: Service, translator: Path) -> None:
    found = service.post("/v1/translate", model="translator", input=LINES).json()
    assert found["model"] == "translator"
    assert [one["index"] for one in found["data"]] == list(range(len(LINES)))
    offline = command("translate", str(translator), stdin="\n".join(LINES)).stdout
    assert [one["text"] for one in found["data"]] == offline.split("\n")[:-1]


def test_settings_and_candidates(service: Service, run: TranslationRun) -> None:
    asked = {"beam": 4, "nbest": 3, "length_penalty": 0.5}
    (found,) = service.post("/v1/translate", model="translator", input=LINES[0], **asked).json()["data"]
    expected = run.translate(LINES[0], **asked).candidates
    assert [one["text"] for one in found["candidates"]] == [one.text for one in expected]
    assert [one["finished"] for one in found["candidates"]] == [one.finished for one in expected]
    assert [one["score"] for one in found["candidates"]] == pytest.approx([one.score for one in expected], abs=1e-4)
    wrong = service.refused("/v1/translate", 422, model="translator", input="two", beam=2, nbest=3)
    assert wrong["message"] == "decode.nbest is between 1 and decode.beam (2), got 3"


def test_many_clients_at_once_get_what_each_would_get_alone(service: Service, run: TranslationRun) -> None:
    texts = [" ".join(LINES[0].split()[: 1 + n % 9]) for n in range(48)]
    expected = [one.text for one in run.translate(texts)]

    def ask(text: str) -> str:
        return str(service.post("/v1/translate", model="translator", input=text).json()["data"][0]["text"])

    with ThreadPoolExecutor(24) as pool:
        assert list(pool.map(ask, texts)) == expected


def test_a_model_of_several_languages_is_told_one(service: Service, multilingual: Path) -> None:
    other = load(multilingual)
    assert isinstance(other, TranslationRun)
    for to in other.languages:
        (found,) = service.post("/v1/translate", model="multilingual", input="two dogs", to=to).json()["data"]
        assert found["text"] == other.translate("two dogs", to=to).text
    assert "say which language" in service.refused("/v1/translate", 422, model="multilingual", input="two")["message"]
    assert (
        "trained for one direction"
        in service.refused("/v1/translate", 422, model="translator", input="two", to="fr")["message"]
    )


def test_a_stream_of_translations(service: Service, run: TranslationRun) -> None:
    events = service.events("/v1/translate", model="translator", input=LINES, stream=True)
    assert {one["index"]: one["text"] for one in events} == {
        number: one.text for number, one in enumerate(run.translate(LINES))
    }
    assert service.refused("/v1/translate", 404, model="nobody", input="two", stream=True)["param"] == "model"


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_go_through_as_they_are(service: Service, run: TranslationRun, text: str) -> None:
    answer = service.post("/v1/translate", model="translator", input=text)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["data"][0]["text"] == run.translate(text).text


def test_texts_that_cannot_be_taken(service: Service) -> None:
    long = service.refused("/v1/translate", 422, model="translator", input="dog " * 10_000)
    assert long["message"] == "a text of 40,000 characters: this model takes 1,024 tokens at most"
    assert (long["type"], long["param"]) == ("invalid_request", "input")
    long = service.refused("/v1/translate", 422, model="translator", input="dog" + 1_024 * " dog")
    assert long["message"] == "a text of 1,025 tokens: this model takes 1,024 at most, so split it"
    many = service.refused("/v1/translate", 422, model="translator", input=["dog"] * 129)
    assert many["message"] == "129 texts in one request: expected 1 to 128"
    half = service.client.post(
        "/v1/translate",
        content=b'{"model": "translator", "input": "\\ud83d"}',
        headers={"content-type": "application/json"},
    )
    assert half.status_code in (400, 422), half.text


@pytest.fixture(scope="module")
def language(gpt: Path) -> LanguageRun:
    run = load(gpt)
    assert isinstance(run, LanguageRun)
    return run


def test_completions_are_those_of_the_run(service: Service, language: LanguageRun) -> None:
    found = service.post("/v1/completions", model="gpt", prompt="the red", temperature=0, max_tokens=5).json()
    expected = language.generate("the red", temperature=0, max_tokens=5)
    assert found["object"] == "text_completion"
    assert found["choices"] == [{"index": 0, "text": expected.text, "logprobs": None, "finish_reason": "length"}]
    new = len(expected.tries[0].tokens)
    assert found["usage"] == {"prompt_tokens": 2, "completion_tokens": new, "total_tokens": 2 + new}
    prompts = ["the red", "the blue star", "said"]
    asked = {"n": 2, "seed": 7, "max_tokens": 6, "temperature": 1.2, "top_p": 0.9, "stop": ["star"]}
    found = service.post("/v1/completions", model="gpt", prompt=prompts, echo=True, **asked).json()
    drawn = language.generate(prompts, tries=2, seed=7, max_tokens=6, temperature=1.2, top_p=0.9, stop=["star"])
    expected_texts = [one.prompt + each.text for one in drawn for each in one.tries]
    assert [one["text"] for one in found["choices"]] == expected_texts
    assert [one["index"] for one in found["choices"]] == list(range(6))


def test_prompts_of_others_in_the_batch_change_nothing(service: Service, language: LanguageRun) -> None:
    def ask(seed: int) -> str:
        answer = service.post("/v1/completions", model="gpt", prompt="the red", seed=seed, max_tokens=8)
        return str(answer.json()["choices"][0]["text"])

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert found == [language.generate("the red", seed=seed, max_tokens=8, temperature=1.0).text for seed in range(8)]
    assert len(set(found)) > 1


def test_a_stream_of_words(service: Service, language: LanguageRun) -> None:
    asked = {"model": "gpt", "prompt": "the red", "seed": 3, "max_tokens": 6, "n": 2, "stream": True}
    events = service.events("/v1/completions", **asked, stream_options={"include_usage": True})
    texts = {0: "", 1: ""}
    for event in events[:-1]:
        (choice,) = event["choices"]
        texts[choice["index"]] += choice["text"]
    expected = language.generate("the red", seed=3, max_tokens=6, tries=2, temperature=1.0)
    assert sorted(texts.values()) == sorted(one.text for one in expected.tries)
    assert len(events) > 4, "it came at once"
    assert {event["id"] for event in events} == {events[0]["id"]}
    ends = [event["choices"][0]["finish_reason"] for event in events[:-1]]
    assert [end for end in ends if end] == ["length" if one.end == "length" else "stop" for one in expected.tries]
    assert events[-1]["usage"]["prompt_tokens"] == 2


def test_completions_that_cannot_be(service: Service) -> None:
    same = service.refused("/v1/completions", 422, model="gpt", prompt="the", temperature=0, n=2)
    assert "2 tries without chance would all be the same text" in same["message"]
    much = service.refused("/v1/completions", 422, model="gpt", prompt="the", max_tokens=100_000)
    assert much["message"] == "100,000 new tokens: this service writes 2,048 at most"
    assert service.refused("/v1/completions", 422, model="gpt", prompt="a", presence_penalty=1)["param"]
    not_one = service.refused("/v1/completions", 422, model="translator", prompt="the")
    assert not_one["message"] == "translator is not for completions: it can be asked for translate, attention"


def test_captions_are_those_of_the_run(service: Service, captioner: Path, tmp_path: Path) -> None:
    run = load(captioner)
    assert isinstance(run, CaptionRun)
    (tmp_path / "a.png").write_bytes(picture())
    (expected,) = run.caption([str(tmp_path / "a.png")], beam=2)
    files = {"file": ("<b>.png", picture(), "image/png")}
    answer = service.client.post("/v1/caption", files=files, data={"model": "captioner", "beam": "2"})
    assert answer.status_code == 200, answer.text
    (found,) = answer.json()["data"]
    assert found["text"] == expected.text
    assert [one["text"] for one in found["candidates"]] == [one.text for one in expected.described.candidates]


def test_pictures_that_are_none(service: Service) -> None:
    for data, message in (
        (b"", "the file is empty: send a picture"),
        (b"GIF89a", "the picture: "),
        (b"<svg onload=alert(1)>", "the picture: no picture of a known format"),
    ):
        answer = service.client.post("/v1/caption", files={"file": ("a", data)}, data={"model": "captioner"})
        assert answer.status_code == 422
        assert message in answer.json()["error"]["message"]
        assert "/" not in answer.json()["error"]["message"].partition(";")[0], "it tells where we keep files"
    answer = service.client.post("/v1/caption", data={"model": "captioner"})
    assert answer.status_code == 422
    assert answer.json()["error"]["param"] == "file"
    answer = service.client.post("/v1/caption", files={"file": ("a", picture())}, data={"model": "gpt"})
    assert "gpt is not for caption" in answer.json()["error"]["message"]


def test_the_run_is_the_same_as_before(service: Service, run: Run) -> None:
    assert all(layer.listener is None for served in service.models for layer in _layers(served.run))
    assert run is not None


def _layers(run: Run) -> list[object]:
    from saccade.attention import attention_layers

    return list(attention_layers(run.model).values())
