import json
import shlex
import sys
from pathlib import Path

import pytest

from command import command, refused
from saccade.cli import complexity

SMALL = ("--lengths", "32,64", "--widths", "8,16", "--width", "8", "--length", "32", "--window", "4", "--quick")


def test_the_table_and_the_picture(tmp_path: Path) -> None:
    done = command("complexity", *SMALL, "--output", str(tmp_path / "a.svg"))
    assert done.exit_code == 0, done.stderr
    tables, _, notes = done.stdout.partition("· ")
    rows = [line.split() for line in tables.splitlines()]
    for name, theory, counted in (
        ("self-attention", "O(n²·d)", ["n^2.00", "d^1.00"]),
        ("recurrent", "O(n·d²)", ["n^1.00", "d^2.00"]),
        ("convolutional", "O(k·n·d²)", ["n^1.00", "d^2.00"]),
        ("restricted", "O(r·n·d)", ["n^1.00", "d^1.00"]),
    ):
        lectures, growth = (row for row in rows if row[:1] == [name])
        assert lectures[1] == theory
        assert growth[1:3] == counted
    assert "Growth in n: 4 rows of 32 to 64 positions of width 8." in notes
    assert done.stderr == f"picture: {tmp_path / 'a.svg'}\n"
    assert "Time against length" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_as_json_and_only_some_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.png"
    given = ("complexity", *SMALL, "--layers", "recurrent", "--threads", "1", "--json", "--output", str(path))
    monkeypatch.setattr(sys, "argv", ["saccade", *given])
    done = command(*given)
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert [each["type"] for each in found["measured"]] == ["recurrent"]
    assert found["plan"]["lengths"] == [32, 64]
    assert found["paths"][0]["found"] == found["paths"][0]["theory"] == [7, 15, 31, 63]
    assert found["machine"]["threads"] == 1
    assert found["command"] == shlex.join(["saccade", *given])
    assert path.stat().st_size > 0


def test_from_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = complexity(
        lengths="32,64", widths="8,16", length=32, layers="convolutional", quick=True, output=tmp_path / "a.png"
    )
    assert [each.type for each in found.measured] == ["convolutional"]
    assert "O(k·n·d²)" in capsys.readouterr().out


def test_what_cannot_be_measured(tmp_path: Path) -> None:
    picture = str(tmp_path / "a.png")

    def complexity_refused(*arguments: str) -> str:
        return refused("complexity", "--output", picture, *arguments)

    assert "no type of layer 'atention' (did you mean" in complexity_refused("--layers", "atention")
    assert "lengths: 'long' is not a list of sizes" in complexity_refused("--lengths", "long")
    assert "widths: 64 is too little to see growth" in complexity_refused("--widths", "64")
    assert "a kernel of 2 positions has no centre" in complexity_refused("--kernel", "2")
    assert "a window of 400 to each side does not restrict" in complexity_refused("--window", "400")
    assert "are numbers from 1 up" in complexity_refused("--threads", "0")
    assert "unknown kind of picture '.gif'" in refused("complexity", "--output", str(tmp_path / "a.gif"))
    assert "is not a folder" in refused("complexity", "--output", str(tmp_path / "no" / "a.png"))
    assert not (tmp_path / "a.png").exists()
