"""Every test here reads from a folder of its own, which is the working directory."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saccade.data.sources import read_pairs
from saccade.errors import DataError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file, packed if its name ends in ``.gz``, with the folders it needs."""

    def to(name: str, content: str | bytes) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = content if isinstance(content, bytes) else content.encode("utf-8")
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return to


@pytest.fixture
def read_all() -> Callable[..., list[tuple[str, str]]]:
    def read(spec: str, **options: Any) -> list[tuple[str, str]]:
        return [(pair.source, pair.target) for pair in read_pairs(spec, **options)]

    return read


@pytest.fixture
def refusal() -> Callable[..., str]:
    """The message with which reading ends."""

    def read(spec: str, **options: Any) -> str:
        with pytest.raises(DataError) as caught:
            list(read_pairs(spec, **options))
        return str(caught.value)

    return read
