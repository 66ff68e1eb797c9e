"""A real service on loopback, in a thread of this process."""

import io
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from saccade.serve.app import make_app
from saccade.serve.keys import Keys
from saccade.serve.limits import Limits
from saccade.serve.logs import Log
from saccade.serve.metrics import Metrics
from saccade.serve.models import Models
from saccade.serve.server import listening, make_server


@dataclass(frozen=True)
class Service:
    url: str
    models: Models
    client: httpx.Client
    said: io.StringIO

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.client.post(path, json=body)

    def refused(self, path: str, status: int, **body: Any) -> dict[str, Any]:
        """The error of a request that must be refused."""
        answer = self.post(path, **body)
        assert answer.status_code == status, answer.text
        error: dict[str, Any] = answer.json()["error"]
        assert error.keys() == {"message", "type", "param"}
        return error

    def events(self, path: str, **body: Any) -> list[dict[str, Any]]:
        """What a stream sent, without its last line."""
        with self.client.stream("POST", path, json=body) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            lines = [line.removeprefix("data: ") for line in answer.iter_lines() if line]
        assert lines.pop() == "[DONE]"
        return [json.loads(line) for line in lines]

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.said.getvalue().splitlines()]


@contextmanager
def running(paths: Sequence[Path], limits: Limits | None = None, keys: Keys | None = None) -> Iterator[Service]:
    limits, metrics, said = limits or Limits(), Metrics(), io.StringIO()
    log = Log(said)
    models = Models.load(paths, limits, metrics, failed=lambda name, error: log.failure("failure", error, model=name))
    server = make_server(make_app(models, limits=limits, keys=keys or Keys(), metrics=metrics, log=log), log)
    socket = listening("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), said.getvalue()
        time.sleep(0.01)
    url = f"http://127.0.0.1:{socket.getsockname()[1]}"
    try:
        with httpx.Client(base_url=url, timeout=60, limits=httpx.Limits(max_connections=64)) as client:
            yield Service(url, models, client, said)
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive(), "the service does not stop"
