"""`saccade serve` as a process: it starts, answers, and finishes what it took when it is told to stop."""

import json
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from command import SACCADE, environment, refused
from saccade.runs import TranslationRun


@contextmanager
def served(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a service in a process of its own, and the process."""
    process = subprocess.Popen(
        [*SACCADE, "serve", *arguments, "--port", "0"], stderr=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if found := re.search(r"at (http://\S+)/", line):
                address = found[1]
            if '"event": "ready"' in line:
                break
        yield address, process
    finally:
        process.kill()
        process.wait(30)


def test_it_finishes_what_it_took(translator: Path, run: TranslationRun) -> None:
    text = "dog " * 300
    with served(str(translator)) as (address, process):
        assert httpx.get(f"{address}/health").json() == {"status": "ok", "models": 1}
        answers: list[httpx.Response] = []

        def ask() -> None:
            asked = {"model": "translator", "input": text, "beam": 8}
            answers.append(httpx.post(f"{address}/v1/translate", json=asked, timeout=60))

        thread = threading.Thread(target=ask)
        thread.start()
        while "saccade_requests_under_way 2" not in httpx.get(f"{address}/metrics").text:
            assert thread.is_alive(), "it was answered before the service could be stopped"
        process.send_signal(signal.SIGTERM)
        thread.join(60)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0, said
    assert [one.status_code for one in answers] == [200]
    assert answers[0].json()["data"][0]["text"] == run.translate(text, beam=8).text
    events = [json.loads(line) for line in said.splitlines()]
    assert events[-1]["event"] == "stopped"
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/health")


def test_what_cannot_be_served(translator: Path, tmp_path: Path) -> None:
    assert "no such run folder" in refused("serve", str(tmp_path / "gone"))
    assert "there is no such file of API keys" in refused("serve", str(translator), "--api-key-file", "gone.txt")
    assert "the limit deadline is above 0, got 0.0" in refused("serve", str(translator), "--deadline", "0")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        message = refused("serve", str(translator), "--port", port)
    assert f"cannot listen at 127.0.0.1, port {port}: " in message
    assert "take another with --host or --port" in message
