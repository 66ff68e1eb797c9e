"""Vectors, gaps, labels and tags."""

import base64
from pathlib import Path

import numpy as np
import pytest

from saccade.runs import BertRun, ClassifierRun, MaskedRun, TaggerRun, load
from serve.service import Service

TEXTS = ["the red star", "said the dog number 3 is blue ,", "ball"]


def test_vectors(service: Service, bert: Path) -> None:
    run = load(bert)
    assert isinstance(run, BertRun)
    for normalize in (False, True):
        expected = run.sentence_vectors(TEXTS, normalize=normalize)
        found = service.post("/v1/embeddings", model="bert", input=TEXTS, normalize=normalize).json()
        np.testing.assert_allclose([one["embedding"] for one in found["data"]], expected, atol=1e-5)
    packed = service.post("/v1/embeddings", model="bert", input=TEXTS[0], encoding_format="base64").json()
    vector = np.frombuffer(base64.b64decode(packed["data"][0]["embedding"]), "<f4")
    np.testing.assert_allclose(vector, run.sentence_vectors(TEXTS[:1])[0], atol=1e-5)
    assert packed["usage"]["total_tokens"] == packed["usage"]["prompt_tokens"] > 2
    assert "is empty" in service.refused("/v1/embeddings", 422, model="bert", input=["a dog", ""])["message"]
    long = service.refused("/v1/embeddings", 422, model="bert", input="dog " * 70)
    assert long["message"].endswith("tokens: this model takes 62 at most, so split it")
    assert service.post("/v1/embeddings", model="classifier", input="a good film").status_code == 200


def test_gaps(service: Service, bert: Path) -> None:
    run = load(bert)
    assert isinstance(run, MaskedRun)
    texts = ["the [MASK] star is [MASK]", "[MASK]"]
    found = service.post("/v1/fill", model="bert", input=texts, top=3).json()
    for text, one in zip(texts, found["data"], strict=True):
        expected = run.fill(text, best=3).gaps
        assert [[word["token"] for word in gap] for gap in one["masks"]] == [
            [word.text for word in g] for g in expected
        ]
        for gap, words in zip(one["masks"], expected, strict=True):
            assert [w["probability"] for w in gap] == pytest.approx([w.probability for w in words], abs=1e-5)
    wrong = service.refused("/v1/fill", 422, model="bert", input=["a [MASK]", "no gap"])
    assert wrong["message"] == "there is no [MASK] in 'no gap': write it where a word is to be found"
    assert (
        "classifier is not for fill" in service.refused("/v1/fill", 422, model="classifier", input="[MASK]")["message"]
    )


def test_labels(service: Service, classifier: Path) -> None:
    run = load(classifier)
    assert isinstance(run, ClassifierRun)
    texts = ["a good film", "bad", "a film " * 60]
    found = service.post("/v1/classify", model="classifier", input=texts).json()["data"]
    for one, expected in zip(found, run.classify(texts), strict=True):
        assert (one["label"], one["number"], one["tags"]) == (expected.label, None, None)
        assert one["probabilities"] == pytest.approx(expected.probabilities, abs=1e-5)
    (pair,) = service.post("/v1/classify", model="classifier", input="a film", second="another").json()["data"]
    assert pair["probabilities"] == pytest.approx(run.classify(["a film"], ["another"])[0].probabilities, abs=1e-5)
    told = service.refused("/v1/classify", 422, model="classifier", input=["a", "b"], second="c")
    assert told["message"] == "2 first texts and 1 second ones: give one for each"
    assert "a text is empty" in service.refused("/v1/classify", 422, model="classifier", input=" ")["message"]


def test_tags(service: Service, tagger: Path) -> None:
    run = load(tagger)
    assert isinstance(run, TaggerRun)
    text = "the dog saw  Oslo1 \x00 👩‍👩‍👧‍👦"
    (found,) = service.post("/v1/classify", model="tagger", input=text).json()["data"]
    (expected,) = run.tag([text.split()])
    assert [(one["word"], one["tag"]) for one in found["tags"]] == list(zip(expected.words, expected.tags, strict=True))
    assert "leave second out" in service.refused("/v1/classify", 422, model="tagger", input="a", second="b")["message"]
