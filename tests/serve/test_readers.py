"""Vectors, gaps, labels and tags of texts, and labels of pictures."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from command import command
from saccade.runs import BertRun, ClassifierRun, MaskedRun, TaggerRun, load
from serve.service import Service
from serve.test_writers import picture
from tasks.pictures import draw_folder

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


def coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize("name", ["squares", "cnn"])
def test_labels_of_pictures_are_those_of_the_command_line(service: Service, name: str, place: Path) -> None:
    draw_folder(place / f"{name}-asked", 2, seed=5)
    files = sorted((place / f"{name}-asked").rglob("*.png"))
    lines = command("classify", str(place / name), *map(str, files), "--json").stdout.splitlines()
    answer = service.post("/v1/classify", model=name, pictures=[coded(file.read_bytes()) for file in files])
    assert answer.status_code == 200, answer.text
    found = answer.json()["data"]
    assert [one["index"] for one in found] == list(range(6))
    for one, line in zip(found, lines, strict=True):
        expected = json.loads(line)
        assert (one["label"], one["number"], one["tags"]) == (expected["label"], None, None)
        assert one["probabilities"] == pytest.approx(expected["probabilities"], abs=1e-5)


def enormous() -> bytes:
    out = io.BytesIO()
    Image.new("1", (10_000, 8_100)).save(out, "PNG")
    return out.getvalue()


GOOD = coded(picture())


@pytest.mark.parametrize(
    ("model", "asked", "message"),
    [
        ("squares", {"pictures": [GOOD, "AAAA"]}, "pictures.1: no picture of a known format"),
        ("squares", {"pictures": [GOOD, coded(picture()[:900])]}, "pictures.1: the picture is broken or cut off"),
        ("squares", {"pictures": [GOOD, GOOD, ""]}, "pictures.2: the file is empty"),
        ("squares", {"pictures": [GOOD, "no base64!"]}, "pictures.1 is a picture's file in base64: this is none"),
        ("cnn", {"pictures": [coded(enormous())]}, "pictures.0: 10,000×8,100 pixels, a picture may have 80,000,000"),
        ("squares", {"pictures": []}, "0 pictures in one request: expected 1 to 128"),
        ("squares", {"pictures": [GOOD] * 129}, "129 pictures in one request: expected 1 to 128"),
        ("squares", {"input": "a dog"}, "squares looks at pictures: give pictures, and no text"),
        ("squares", {"input": "a dog", "pictures": [GOOD]}, "squares looks at pictures: give pictures, and no text"),
        ("squares", {}, "squares looks at pictures: give pictures, and no text"),
        ("classifier", {"pictures": [GOOD]}, "classifier reads texts: give input, and no pictures"),
        ("tagger", {"input": "a dog", "pictures": [GOOD]}, "tagger reads texts: give input, and no pictures"),
        ("classifier", {}, "classifier reads texts: give input, and no pictures"),
        ("captioner", {"pictures": [GOOD]}, "captioner is not for classify: it can be asked for caption, attention"),
    ],
)
def test_what_cannot_be_classified(service: Service, model: str, asked: dict[str, Any], message: str) -> None:
    told = service.refused("/v1/classify", 422, model=model, **asked)
    assert told["message"].startswith(message)
    assert "/" not in told["message"], "it tells where we keep files"
