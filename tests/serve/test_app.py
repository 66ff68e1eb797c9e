"""The service as a whole: what it says of itself, whom it lets in, how it refuses, what it logs."""

import json
import re
import socket
import time
from pathlib import Path
from typing import Any

from saccade.serve.keys import Keys
from saccade.serve.limits import Limits
from serve.service import Service, running

SECRET = "0123456789abcdef"


def test_what_is_served(service: Service) -> None:
    assert service.client.get("/health").json() == {"status": "ok", "models": 9}
    found = {one["id"]: one for one in service.client.get("/v1/models").json()["data"]}
    assert {name: one["verbs"] for name, one in found.items()} == {
        "translator": ["translate", "attention"],
        "multilingual": ["translate", "attention"],
        "gpt": ["completions", "attention"],
        "bert": ["embeddings", "fill", "attention"],
        "classifier": ["embeddings", "classify", "attention"],
        "tagger": ["embeddings", "classify", "attention"],
        "captioner": ["caption", "attention"],
        "squares": ["classify", "attention"],
        "cnn": ["classify"],
    }
    one = found["translator"]
    assert (one["task"], one["preset"], one["languages"]) == ("translation", "transformer-tiny", [])
    assert one["layers"][0] == {"name": "encoder.0.self", "heads": 2, "kind": "self"}
    assert one["parameters"] == sum(p.numel() for p in service.models["translator"].run.model.parameters())
    assert len(one["example"]["text"].split()) > 3
    assert (one["max_input_tokens"], one["max_attention_tokens"]) == (1024, 256)
    assert found["multilingual"]["languages"] == ["en", "fr"]
    assert found["classifier"]["labels"] == ["bad", "good"]
    assert found["captioner"]["example"]["picture"]
    one = found["squares"]
    assert (one["task"], one["labels"]) == ("picture-classification", ["blue", "green", "red"])
    assert one["layers"] == [{"name": f"encoder.{n}.self", "heads": 3, "kind": "self"} for n in range(2)]
    assert (one["max_input_tokens"], one["example"]) == (None, {"text": None, "picture": True})
    assert service.client.get("/v1/models/gpt").json() == found["gpt"]
    assert service.client.get("/v1/models/gpd").status_code == 404


def test_openapi_is_complete(service: Service) -> None:
    described = service.client.get("/openapi.json").json()
    assert set(described["paths"]) == {
        *("/health", "/metrics", "/v1/models", "/v1/models/{name}", "/v1/translate", "/v1/completions"),
        *("/v1/embeddings", "/v1/fill", "/v1/classify", "/v1/caption", "/v1/attention", "/translate", "/languages"),
    }
    for path, methods in described["paths"].items():
        for method, one in methods.items():
            if path.startswith("/v1/") and method == "post":
                assert {"200", "400", "401", "404", "413", "422", "429", "500", "504"} <= set(one["responses"]), path
                for status, answer in one["responses"].items():
                    if status != "200":
                        assert "example" in answer["content"]["application/json"], (path, status)
                ((kind, content),) = one["requestBody"]["content"].items()
                name = content["schema"]["$ref"].rpartition("/")[2]
                schema = described["components"]["schemas"][name]
                if kind == "application/json":
                    assert schema["examples"], path
                answered = one["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
                assert "example" in described["components"]["schemas"][answered.rpartition("/")[2]], path


def test_bodies_that_are_wrong(service: Service) -> None:
    answer = service.client.post("/v1/translate", content=b"{", headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("the body is not JSON: ")
    wrong = service.refused("/v1/translate", 422, model="translator", input="two", bean=3)
    assert (wrong["param"], wrong["message"]) == ("bean", "bean: Extra inputs are not permitted")
    assert service.refused("/v1/translate", 422, model="translator")["param"] == "input"
    missing = service.refused("/v1/translate", 404, model="translater", input="two")
    assert missing["message"].startswith("no model of this name (did you mean translator?); there are translator, ")
    assert service.client.get("/nowhere").json()["error"]["type"] == "not_found"
    answer = service.client.put("/v1/translate")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_every_answer_is_safe_to_show(service: Service) -> None:
    for path in ("/", "/health", "/nowhere", "/v1/models", "/metrics"):
        headers = service.client.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-request-id"]
        assert "server" not in headers
    assert service.client.get("/").headers["content-type"] == "text/html; charset=utf-8"
    assert service.client.get("/assets/..%2f..%2fapp.py").status_code == 404
    markup = "<script>alert(1)</script>"
    refused = service.refused("/v1/translate", 404, model=markup, input=markup)
    assert "<" not in refused["message"]


def test_no_file_of_the_page_outlives_its_version(service: Service) -> None:
    for path in ("/", "/assets/explorer.js", "/assets/explorer.css"):
        answer = service.client.get(path)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")


def test_metrics_and_log_tell_what_was_asked_but_not_the_texts(service: Service) -> None:
    secret = "zebra crossing of the unsaid"
    assert service.post("/v1/translate", model="translator", input=secret).status_code == 200
    service.refused("/v1/translate", 422, model="translator", input=[secret] * 500)
    service.client.get(f"/{secret}")
    service.client.get(f"/v1/models/{secret}")
    deadline = time.monotonic() + 5
    while sum(one["event"] == "request" for one in service.log()) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    lines = [one for one in service.log() if one["event"] == "request"]
    found = next(one for one in lines if one["route"] == "/v1/translate" and one["status"] == 200)
    assert found["model"] == "translator"
    assert found["ms"] > 0
    metrics = service.client.get("/metrics")
    assert metrics.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'saccade_requests_total{route="/v1/translate",status="200"}' in metrics.text
    assert 'saccade_batch_texts_bucket{model="translator",le="1"}' in metrics.text
    assert 'saccade_waiting_texts{model="translator"} 0' in metrics.text
    for told in (service.said.getvalue(), metrics.text):
        assert "zebra" not in told


def test_keys_and_limits(translator: Path) -> None:
    limits = Limits(body=2000, deadline=20)
    with running([translator], limits, Keys((SECRET,))) as found:
        for path in ("/", "/health"):
            assert found.client.get(path).status_code == 200
        for path in ("/v1/models", "/metrics", "/openapi.json"):
            assert found.client.get(path).status_code == 401, path
        refused = found.refused("/v1/translate", 401, model="translator", input="two")
        assert refused["type"] == "unauthorised"
        bad = found.client.get("/v1/models", headers={"authorization": f"Bearer {SECRET}x"})
        assert (bad.status_code, bad.headers["www-authenticate"]) == (401, "Bearer")
        libre = {"q": "two dogs", "source": "en", "target": "fr"}
        assert found.client.post("/translate", json=libre).json().keys() == {"error"}
        assert found.client.post("/translate", json={**libre, "api_key": SECRET}).status_code == 200
        found.client.headers["authorization"] = f"Bearer {SECRET}"
        assert found.client.get("/v1/models").status_code == 200
        large = found.refused("/v1/translate", 413, model="translator", input="x" * 3000)
        assert large["message"] == "a body of more than 2,000 bytes is not read: send less at once"
        parts = found.client.post("/v1/translate", content=(b"x" * 500 for _ in range(50)))
        assert parts.status_code == 413
        assert found.post("/v1/translate", model="translator", input="two").status_code == 200
        assert SECRET not in found.said.getvalue()


LONG = "dog" + 899 * " dog"
HEAD = b"POST /v1/translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def test_a_full_queue_and_a_deadline(translator: Path) -> None:
    with running([translator], Limits(texts=200, waiting=128, deadline=0.5)) as found:
        busy = found.post("/v1/translate", model="translator", input=["two dogs"] * 129)
        assert (busy.status_code, busy.headers["retry-after"]) == (429, "1")
        assert busy.json()["error"]["type"] == "busy"
        late = found.refused("/v1/translate", 504, model="translator", input=[LONG] * 128, beam=16)
        assert (late["type"], late["param"]) == ("timeout", None)
        assert late["message"] == "no answer within 0.5 seconds: send shorter texts, or fewer at once"
        assert given_up(found)
        with half_a_request(found) as connection:
            answer = b""
            while not answer.endswith(b"}}") and (more := connection.recv(4096)):
                answer += more
        assert answer.startswith(b"HTTP/1.1 504 ")
        assert b"the body did not come within 0.5 seconds" in answer


def test_who_hangs_up_is_forgotten(translator: Path) -> None:
    with running([translator]) as found:
        queue = found.models["translator"].queue
        body = json.dumps({"model": "translator", "input": [LONG] * 128, "beam": 16}).encode()
        with connected(found) as connection:
            connection.sendall(HEAD % len(body) + body)
            while not 0 < queue.waiting < 128:  # until some are being worked on
                time.sleep(0.001)
        assert given_up(found)
        assert queue.waiting == 0
        assert [one["status"] for one in found.log() if one.get("route") == "/v1/translate"] == [499]


def given_up(found: Service) -> bool:
    """Whether the texts that were being worked on leave soon."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if re.search(r'saccade_gone_texts_total{model="translator"} [1-9]', found.client.get("/metrics").text):
            return True
    return False


def test_half_a_request_harms_nobody(service: Service) -> None:
    with half_a_request(service):
        assert service.client.get("/health").status_code == 200
    assert service.client.get("/health").status_code == 200


def half_a_request(service: Service) -> socket.socket:
    connection = connected(service)
    connection.sendall(HEAD % 100 + b"{")
    return connection


def connected(service: Service) -> socket.socket:
    host, port = service.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def test_no_failure_of_ours_was_logged(service: Service) -> None:
    answers: list[dict[str, Any]] = [one for one in service.log() if one["event"] == "failure"]
    assert answers == [], json.dumps(answers)
