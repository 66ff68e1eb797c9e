"""The demo, as `make demo` runs it, learns its task to a threshold and leaves what it promises."""

import json
from pathlib import Path

import pytest

from command import process

pytestmark = pytest.mark.learning


def test_the_demo_translates_scenes(tmp_path: Path) -> None:
    shown = process("demo", "--run", "run", cwd=tmp_path, timeout=500)
    assert shown.returncode == 0, shown.stderr.decode()
    for name in ("attention.png", "attention.html", "report.html"):
        assert (tmp_path / "run" / name).stat().st_size > 0
    assert "Where it looked" in shown.stdout.decode()
    done = process("evaluate", "run", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    result = json.loads(done.stdout)
    assert {score["name"]: score["value"] for score in result["scores"]}["BLEU"] >= 95
    assert result["alignment"]["error_rate"] <= 0.4
