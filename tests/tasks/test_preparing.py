import hashlib
from pathlib import Path

import pytest

from saccade.tasks import preparing
from saccade.tasks.preparing import chunks, digest, told


def test_chunks_hold_everything_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "CHUNK", 3)
    assert [list(chunk) for chunk in chunks(iter(range(7)))] == [[0, 1, 2], [3, 4, 5], [6]]


def test_a_word_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "CHUNK", 3)
    said: list[str] = []
    assert list(told(iter(range(7)), "read", "documents", said.append)) == list(range(7))
    assert said == []  # it took no time
    monkeypatch.setattr(preparing, "TOLD_SECONDS", 0.0)
    list(told(iter(range(7)), "read", "documents", said.append))
    assert said == ["read 3 documents so far", "read 6 documents so far"]


def test_a_digest_is_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    assert digest(tmp_path / "a") == hashlib.sha256(b"text").hexdigest()
