"""Clients that others wrote."""

from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode

import httpx
import numpy as np
import openai
import pytest
from libretranslatepy import LibreTranslateAPI

from saccade.runs import BertRun, LanguageRun, TranslationRun, load
from saccade.serve.keys import Keys
from serve.service import Service, running

FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def official(service: Service) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{service.url}/v1", api_key="none", max_retries=0)


def test_the_official_client_lists_models(official: openai.OpenAI) -> None:
    assert {"gpt", "bert"} <= {one.id for one in official.models.list()}
    assert official.models.retrieve("gpt").object == "model"


def test_the_official_client_completes(official: openai.OpenAI, gpt: Path) -> None:
    run = load(gpt)
    assert isinstance(run, LanguageRun)
    expected = run.generate("the red", temperature=0, max_tokens=6).text
    found = official.completions.create(model="gpt", prompt="the red", temperature=0, max_tokens=6)
    assert found.choices[0].text == expected
    assert found.usage is not None
    assert found.usage.prompt_tokens == 2
    parts = official.completions.create(model="gpt", prompt="the red", temperature=0, max_tokens=6, stream=True)
    assert "".join(part.choices[0].text for part in parts) == expected


def test_the_official_client_embeds(official: openai.OpenAI, bert: Path) -> None:
    run = load(bert)
    assert isinstance(run, BertRun)
    texts = ["the red star", "a ball"]
    found = official.embeddings.create(model="bert", input=texts)  # it asks for base64 by itself
    np.testing.assert_allclose([one.embedding for one in found.data], run.sentence_vectors(texts), atol=1e-5)


def test_the_official_client_understands_our_errors(official: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="no model of this name"):
        official.completions.create(model="nobody", prompt="the")
    with pytest.raises(openai.UnprocessableEntityError, match="new tokens: this service writes"):
        official.completions.create(model="gpt", prompt="the", max_tokens=10**6)


def test_libretranslates_own_client(service: Service, run: TranslationRun) -> None:
    client = LibreTranslateAPI(service.url)
    assert client.translate("two big dogs", "en", "fr") == run.translate("two big dogs").text
    assert {"en", "de"} <= {one["code"] for one in client.languages()}


def test_libretranslates_own_client_sends_its_key_in_the_form(run: TranslationRun) -> None:
    with running([run.folder.path], keys=Keys(("a-long-secret",))) as service:
        client = LibreTranslateAPI(service.url, api_key="a-long-secret")
        assert client.languages()
        assert client.translate("two big dogs", "en", "fr") == run.translate("two big dogs").text
        with pytest.raises(HTTPError) as refused:
            LibreTranslateAPI(service.url, api_key="another-one").translate("two big dogs", "en", "fr")
        assert refused.value.code == 401


def libre(service: Service, **fields: str) -> httpx.Response:
    """As its Python client sends it: a form."""
    return service.client.post("/translate", content=urlencode(fields), headers=FORM)


def test_libretranslate(service: Service, run: TranslationRun) -> None:
    text = "two big dogs & a <b>cat</b>"
    expected = run.translate(text).text
    found = libre(service, q=text, source="en", target="fr", api_key="")
    assert found.json() == {"translatedText": expected, "alternatives": None}
    asked = {"q": [text, "", "a red star"], "source": "auto", "target": "fr", "format": "text", "alternatives": 2}
    several = service.client.post("/translate", json=asked).json()
    assert several["translatedText"] == [one.text for one in run.translate(asked["q"], beam=5, nbest=3)]
    assert [len(one) for one in several["alternatives"]] == [2, 0, 2]


def test_libretranslate_finds_the_model_by_its_languages(service: Service, multilingual: Path) -> None:
    listed = {one["code"]: one for one in service.client.get("/languages").json()}
    assert listed["en"] == {"code": "en", "name": "English", "targets": ["fr"]}
    assert listed["de"] == {"code": "de", "name": "German", "targets": ["en", "fr"]}
    other = load(multilingual)
    assert isinstance(other, TranslationRun)
    found = libre(service, q="zwei Hunde", source="de", target="en").json()
    assert found["translatedText"] == other.translate("zwei Hunde", to="en").text
    refused = libre(service, q="two", source="en", target="xx")
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("no model here translates from en into xx; there are de-en, de-fr, en-fr")
    html = libre(service, q="<b>two</b>", source="en", target="fr", format="html")
    assert (html.status_code, "only format text" in html.json()["error"]) == (400, True)
    assert libre(service, source="en", target="fr").json() == {"error": "q: Field required"}
    assert service.client.post("/translate", content=b"\xff").status_code == 400
