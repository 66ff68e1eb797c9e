from pathlib import Path

from saccade.serve.page import index, page_file


def built(place: Path) -> Path:
    (place / "static" / "assets").mkdir(parents=True)
    (place / "static" / "index.html").write_text("<!doctype html>the page")
    (place / "static" / "assets" / "a.js").write_text("1")
    (place / "static" / "assets" / "a.exe").write_text("2")
    (place / "secret.js").write_text("3")
    return place / "static"


def test_files_of_the_page(tmp_path: Path) -> None:
    static = built(tmp_path)
    assert index(static).content == b"<!doctype html>the page"
    found = page_file("assets/a.js", static)
    assert found is not None
    assert (found.content, found.kind) == (b"1", "text/javascript; charset=utf-8")


def test_nothing_else_is_given_away(tmp_path: Path) -> None:
    static = built(tmp_path)
    for name in ("assets/../../secret.js", "/etc/hostname", "assets/a.exe", "assets", "assets/gone.js"):
        assert page_file(name, static) is None, name


def test_a_page_that_was_not_built_says_so(tmp_path: Path) -> None:
    shown = index(tmp_path / "static").content.decode()
    assert "npm run build" in shown
    assert "/v1/models" in shown
    assert "<script" not in shown
    assert "style" not in shown
