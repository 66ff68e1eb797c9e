import sys
from pathlib import Path

import pytest

from saccade.cli.console import program


def test_the_program_as_it_can_be_called_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / ".venv/bin/saccade")])
    assert program() == ".venv/bin/saccade"
    monkeypatch.setattr(sys, "argv", ["pytest"])
    assert program() == "saccade"
    on_path = tmp_path / "saccade"
    on_path.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(on_path)])
    assert program() == "saccade"
