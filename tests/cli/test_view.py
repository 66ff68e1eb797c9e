from pathlib import Path

import pytest
from PIL import Image

from command import command, refused
from saccade.runs import Run

SENTENCE = "a red circle is left of two blue squares"


def test_a_page_with_all_layers(translator: Path, run: Run, tmp_path: Path) -> None:
    done = command("view", str(translator), SENTENCE, "--output", str(tmp_path / "a.html"))
    assert done.exit_code == 0, done.stderr
    assert done.stdout == f"{run.translate(SENTENCE).text}\n"
    assert done.stderr == f"attention: {tmp_path / 'a.html'}\n"
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert all(layer in page for layer in run.layers)


@pytest.mark.parametrize("more", [[], ["--layer", "decoder.1.cross", "--head", "1"]])
def test_pictures(translator: Path, tmp_path: Path, more: list[str]) -> None:
    for suffix in ("png", "svg"):
        path = tmp_path / f"a.{suffix}"
        done = command("view", str(translator), "two big dogs", "--output", str(path), *more)
        assert done.exit_code == 0, done.stderr
    assert Image.open(tmp_path / "a.png").width > 100
    assert "dogs" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_every_layer_and_head_in_one_picture(translator: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    done = command("view", str(translator), "two big dogs", "--output", str(path), "--layer", "all")
    assert done.exit_code == 0, done.stderr
    picture = path.read_text(encoding="utf-8")
    assert "encoder" in picture
    assert "decoder" in picture


def test_how_it_would_write_a_given_text(translator: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "a.svg")
    done = command("view", str(translator), "two big dogs", "--target", "une petite lampe", "--output", path)
    assert done.stdout == "une petite lampe\n"
    assert "lampe" in Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", ["png", "html"])
def test_an_unknown_layer(translator: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    message = refused("view", str(translator), SENTENCE, "--layer", "decoder.9.cross", "--output", str(path))
    assert "no attention layer 'decoder.9.cross' was recorded; there are encoder.0.self, " in message
    assert not path.exists()


def test_what_cannot_be_drawn(translator: Path, tmp_path: Path) -> None:
    def view(*arguments: str) -> str:
        return refused("view", str(translator), *arguments)

    assert "unknown kind of picture '.gif'" in view(SENTENCE, "--output", str(tmp_path / "a.gif"))
    assert "has no head 7" in view(SENTENCE, "--head", "7", "--output", str(tmp_path / "a.png"))
    assert "is not a folder" in view(SENTENCE, "--output", str(tmp_path / "no" / "a.png"))
    assert "could not be written" in view(SENTENCE, "--output", str(tmp_path / "no" / "a.html"))
    assert "there is nothing to look at in an empty text" in view(" ", "--output", str(tmp_path / "a.png"))
