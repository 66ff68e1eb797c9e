"""What becomes of these tests where no browser can be had."""

from pathlib import Path

import pytest

from browser.conftest import chromium

RUN = Path(__file__).parents[2] / ".ci" / "run"


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine without programs."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CI", raising=False)
    return monkeypatch


def test_they_are_left_out_with_a_notice(bare: pytest.MonkeyPatch) -> None:
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        chromium()


def test_before_anything_lands_they_fail(bare: pytest.MonkeyPatch) -> None:
    bare.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        chromium()
    assert "\nexport CI=true" in RUN.read_text(encoding="utf-8")
