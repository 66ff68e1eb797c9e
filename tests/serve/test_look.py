"""Attention over HTTP: what is sent is what was recorded, edits included."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import saccade
from saccade.runs import CaptionRun, LanguageRun, PictureRun, TranslationRun, load
from serve.service import Service
from serve.test_writers import picture

TEXT = "a red circle is left of two blue squares"
CROSS = "decoder.1.cross"


def look(service: Service, text: str = TEXT, model: str = "translator", **asked: Any) -> dict[str, Any]:
    answer = service.post("/v1/attention", model=model, input={"text": text}, **asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def weights(layer: dict[str, Any], packed: bytes | None = None) -> np.ndarray[Any, Any]:
    data = base64.b64decode(layer["weights"]) if packed is None else packed
    shape = (layer["heads"], len(layer["queries"]), len(layer["keys"]))
    return np.frombuffer(data, "<u2").reshape(shape) / 65535 * layer["scale"]


def test_all_layers_as_they_were_recorded(service: Service, run: TranslationRun) -> None:
    found, expected = look(service), run.look(TEXT)
    assert (found["model"], found["text"], found["answer"]) == ("translator", expected.target, None)
    assert found["source"] == [*TEXT.split(), "</s>"]
    assert found["target"] == list(expected[CROSS].queries)
    assert [one["name"] for one in found["layers"]] == list(run.layers)
    assert (found["picture"], found["calculator"]) == (None, None)
    assert "unedited_text" not in found
    for one in found["layers"]:
        np.testing.assert_allclose(weights(one), expected[one["name"]].weights_HQK, atol=2e-5)
        assert one["kind"] == one["name"].rpartition(".")[2]
        assert one["words"] == one["name"].replace(".", " layer ", 1).replace(".", ", ") + "-attention"


def test_chosen_layers_and_heads(service: Service, run: TranslationRun) -> None:
    found = look(service, layers=["decoder.*.cross"], heads=[1], beam=1)
    assert [one["name"] for one in found["layers"]] == ["decoder.0.cross", "decoder.1.cross"]
    assert [one["heads"] for one in found["layers"]] == [1, 1]
    expected = run.look(TEXT, beam=1)[CROSS].weights_HQK[1:]
    np.testing.assert_allclose(weights(found["layers"][1]), expected, atol=2e-5)
    none = look(service, layers=["encoder.0.self"])
    assert (none["source"], none["target"]) == (look(service)["source"], look(service)["target"])


def test_binary_holds_the_same(service: Service) -> None:
    answer = service.post("/v1/attention", model="translator", input={"text": TEXT}, format="binary")
    assert answer.headers["content-type"] == "application/octet-stream"
    (length,) = struct.unpack("<I", answer.content[:4])
    header, data = json.loads(answer.content[4 : 4 + length]), answer.content[4 + length :]
    whole = look(service)
    assert {**header, "layers": None} == {**whole, "layers": None}
    for one, other in zip(header["layers"], whole["layers"], strict=True):
        assert data[one["offset"] : one["offset"] + one["bytes"]] == base64.b64decode(other["weights"])
    assert sum(one["bytes"] for one in header["layers"]) == len(data)


def test_edits_change_the_output_of_this_request_alone(service: Service, run: TranslationRun) -> None:
    plain = run.translate(TEXT).text
    edits = [
        {"layer": "decoder.0.cross", "weights": 0.0},
        {"layer": CROSS, "head": 1, "temperature": 3.0},
        {"layer": "encoder.0.self", "head": 0, "query": 1, "key": 2, "weights": 0.0},
    ]
    found = look(service, edits=edits, layers=[CROSS, "encoder.*"])
    with saccade.record(run) as seen:
        seen.edit("decoder.0.cross", weights=0.0)
        seen.edit(CROSS, head=1, temperature=3.0)
        seen.edit("encoder.0.self", head=0, query=1, key=2, weights=0.0)
        expected = run.translate(TEXT).text
    assert (found["text"], found["unedited_text"]) == (expected, plain)
    assert expected != plain
    assert [one["name"] for one in found["layers"]] == ["encoder.0.self", CROSS]
    shown = weights(found["layers"][0])
    assert shown[0, 1, 2] == 0
    assert shown[1, 1, 2] > 0
    np.testing.assert_allclose(weights(found["layers"][1]), seen[CROSS].attended[0].weights_HQK, atol=2e-5)
    (after,) = service.post("/v1/translate", model="translator", input=TEXT).json()["data"]
    assert after["text"] == plain


def test_a_given_target(service: Service, run: TranslationRun) -> None:
    found = look(service, target="deux chiens", layers=[CROSS])
    assert (found["text"], found["target"]) == ("deux chiens", ["deux", "chiens", "</s>"])
    expected = run.look(TEXT, "deux chiens")[CROSS].weights_HQK
    np.testing.assert_allclose(weights(found["layers"][0]), expected, atol=2e-5)
    edited = look(service, target="deux chiens", edits=[{"layer": CROSS, "weights": 0.0}])
    assert edited["unedited_text"] == "deux chiens"


def test_the_calculator(service: Service) -> None:
    found = look(service, detail={"layer": CROSS, "head": 1, "query": 2}, layers=[CROSS])
    one = found["calculator"]
    q, k, v = (np.array(one[name]) for name in "qkv")
    assert (one["layer"], one["head"], one["query"], one["score"]) == (CROSS, 1, 2, "dot")
    assert (one["query_token"], one["keys"], one["combine"]) == (found["target"][2], found["source"], None)
    assert one["scale"] == pytest.approx(16**-0.5)
    np.testing.assert_allclose(one["raw"], k @ q, atol=1e-5)
    np.testing.assert_allclose(one["scaled"], np.array(one["raw"]) * one["scale"], atol=1e-5)
    powers = np.exp(np.array(one["scaled"]))
    np.testing.assert_allclose(one["softmax"], powers / powers.sum(), atol=1e-5)
    np.testing.assert_allclose(one["weights"], weights(found["layers"][0])[1, 2], atol=2e-5)
    np.testing.assert_allclose(one["weighted"], np.array(one["weights"])[:, None] * v, atol=1e-5)
    np.testing.assert_allclose(one["context"], np.array(one["weighted"]).sum(0), atol=1e-5)
    assert all(one["allowed"])


def test_models_that_read(service: Service, gpt: Path) -> None:
    run = load(gpt)
    assert isinstance(run, LanguageRun)
    found = look(service, "the red star", "gpt", edits=[{"layer": "decoder.0.self", "weights": 0.0}])
    assert (found["text"], found["target"], found["source"]) == (None, None, ["<s>", "the", "red", "star"])
    assert found["unedited_answer"] == run.generate("the red star", max_tokens=16, temperature=0).text
    with saccade.record(run) as seen:
        seen.edit("decoder.0.self", weights=0.0)
        assert found["answer"] == run.generate("the red star", max_tokens=16, temperature=0).text
    filled = look(service, "the [MASK] star", "bert")
    assert filled["answer"].startswith("the ")
    assert "[MASK]" not in filled["answer"]
    assert "[MASK]" in filled["source"]
    pair = service.post("/v1/attention", model="classifier", input={"text": "a film", "second": "good"}).json()
    assert pair["source"].count("[SEP]") == 2
    assert pair["answer"] in ("good", "bad")
    assert look(service, "the dog", "tagger")["answer"].startswith("the/")


def test_where_a_captioner_looks(service: Service, captioner: Path, tmp_path: Path) -> None:
    run = load(captioner)
    assert isinstance(run, CaptionRun)
    (tmp_path / "a.png").write_bytes(picture())
    expected = run.look(str(tmp_path / "a.png"))
    asked = {"picture": base64.b64encode(picture()).decode()}
    detail = {"layer": "decoder.0.cross", "head": 0, "query": 0}
    found = service.post("/v1/attention", model="captioner", input=asked, detail=detail).json()
    assert found["text"] == expected.target
    side = found["picture"]["rows"]
    assert found["picture"]["columns"] * side == len(found["source"]) == run.model.places_count
    np.testing.assert_allclose(weights(found["layers"][0]), expected.layers[0].weights_HQK, atol=2e-5)
    assert found["calculator"]["score"] == "additive"
    assert len(found["calculator"]["combine"]) == len(found["calculator"]["q"])


def test_where_a_vit_looks(service: Service, squares: Path, tmp_path: Path) -> None:
    run = load(squares)
    assert isinstance(run, PictureRun)
    file = tmp_path / "a.png"
    file.write_bytes(picture())
    expected = run.look(file)
    asked: dict[str, Any] = {"model": "squares", "input": {"picture": base64.b64encode(picture()).decode()}}
    last = "encoder.1.self"
    found = service.post("/v1/attention", **asked, detail={"layer": last, "head": 2, "query": 6}).json()
    assert (found["text"], found["target"], found["answer"]) == (None, None, expected.said)
    assert found["picture"] == {"rows": 4, "columns": 4, "fit": "crop"}
    assert (found["source"][:3], len(found["source"])) == (["class", "0,0", "0,1"], 17)
    assert [one["name"] for one in found["layers"]] == list(run.layers)
    for one in found["layers"]:
        assert one["queries"] == one["keys"] == found["source"]
        np.testing.assert_allclose(weights(one), expected[one["name"]].weights_HQK, atol=2e-5)
    one = found["calculator"]
    assert (one["query_token"], one["keys"], one["score"]) == ("1,1", found["source"], "dot")
    np.testing.assert_allclose(one["weights"], expected[last].weights_HQK[2, 6], atol=1e-5)
    edits = [{"layer": last, "head": 1, "weights": 0.0}, {"layer": "encoder.0.self", "temperature": 5.0}]
    edited = service.post("/v1/attention", **asked, edits=edits, layers=[last]).json()
    with saccade.record(run) as seen:
        seen.edit(last, head=1, weights=0.0)
        seen.edit("encoder.0.self", temperature=5.0)
        (said,) = run.classify([file])
    assert (edited["answer"], edited["unedited_answer"]) == (said.said, expected.said)
    assert said.probabilities != pytest.approx(expected.probabilities, abs=1e-4)
    (one,) = edited["layers"]
    np.testing.assert_allclose(weights(one), seen[last].weights_BHQK[0], atol=2e-5)
    assert not weights(one)[1].any()


@pytest.mark.parametrize("model", ["captioner", "squares"])
def test_pictures_that_cannot_be_looked_at(service: Service, model: str) -> None:
    for given, message in (
        ({"text": "a"}, f"{model} looks at a picture: give input.picture, and no text"),
        ({"picture": "no base64!"}, "input.picture is a picture's file in base64: this is none"),
        ({"picture": "AAAA"}, "input.picture: no picture of a known format"),
    ):
        told = service.refused("/v1/attention", 422, model=model, input=given)["message"]
        assert told.startswith(message)
        assert "/" not in told, "it tells where we keep files"
    asked = {"input": {"picture": base64.b64encode(picture()).decode()}}
    told = service.refused("/v1/attention", 422, model="cnn", **asked)["message"]
    assert told == "cnn is not for attention: it can be asked for classify"
    told = service.refused("/v1/attention", 422, model=model, **asked, target="a dog")["message"]
    assert told == "target and to are for translators"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"layers": ["decoder.9.cross"]}, "no attention layer 'decoder.9.cross'"),
        ({"heads": [2]}, "encoder.0.self has heads 0 to 1, not 2"),
        ({"edits": [{"layer": CROSS, "head": 5, "weights": 0}]}, "decoder.1.cross has heads 0 to 1, not 5"),
        ({"edits": [{"layer": CROSS}]}, "gives either weights or a temperature"),
        ({"edits": [{"layer": CROSS, "temperature": 2, "key": 1}]}, "a temperature is one of whole rows"),
        ({"edits": [{"layer": CROSS, "weights": -1}]}, "edits.0.weights: Input should be greater than or equal to 0"),
        ({"detail": {"layer": CROSS, "head": 0, "query": 500}}, "decoder.1.cross has queries 0 to "),
        ({"input": {"text": " "}}, "there is nothing to look at in an empty text"),
        ({"input": {"text": "dog" + 299 * " dog"}}, "a text of 300 tokens: this model takes 256 at most"),
        ({"input": {"text": "a", "second": "b"}}, "input.second is the second text of a pair, for a BERT"),
        ({"input": {"picture": "AAAA"}}, "translator reads texts: give input.text"),
        ({"target": ""}, "there is nothing to look at in an empty text"),
    ],
)
def test_what_cannot_be_looked_at(service: Service, asked: dict[str, Any], message: str) -> None:
    body = {"model": "translator", "input": {"text": TEXT}, **asked}
    assert message in service.refused("/v1/attention", 422, **body)["message"]


def test_looks_and_translations_at_once_do_not_meet(service: Service, run: TranslationRun) -> None:
    from concurrent.futures import ThreadPoolExecutor

    plain = run.translate(TEXT).text

    def ask(number: int) -> str:
        if number % 2:
            edits = [{"layer": name, "weights": 0.0} for name in run.layers]
            return str(look(service, edits=edits)["unedited_text"])
        return str(service.post("/v1/translate", model="translator", input=TEXT).json()["data"][0]["text"])

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(ask, range(18))) == {plain}
    assert torch.is_grad_enabled()
