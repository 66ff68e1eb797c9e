"""The built files that are shipped come from the sources beside them."""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVED = ROOT / "src" / "saccade" / "serve" / "static"
VIEWED = ROOT / "src" / "saccade" / "view" / "static"
LARGEST = 300_000


def test_the_shipped_page_is_built_from_these_sources() -> None:
    files = [path for path in (ROOT / "explorer" / "src").rglob("*") if path.is_file()]
    files += [ROOT / "explorer" / name for name in ("index.html", "build.mjs", "package-lock.json")]
    digest = hashlib.sha256()
    for name, path in sorted((path.relative_to(ROOT).as_posix(), path) for path in [*files, VIEWED / "base.css"]):
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    said = (SERVED / "built-from.txt").read_text(encoding="utf-8").strip()
    assert said == digest.hexdigest(), "explorer/src changed: run `make explorer` and commit what it builds"


def test_the_page_is_small_and_needs_nothing_else() -> None:
    built = [path for path in SERVED.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in built) < LARGEST
    index = (SERVED / "index.html").read_text(encoding="utf-8")
    addresses = re.findall(r'(?:src|href)="([^"]+)"', index)
    assert sorted(addresses) == ["./assets/explorer.css", "./assets/explorer.js", "data:,"]
    assert all((SERVED / address).is_file() for address in addresses if address.startswith("./"))
    assert not re.search(r"<style|style=|<script(?![^>]* src=)|\son\w+=", index), "the policy allows nothing inline"


def test_texts_never_become_markup() -> None:
    script = (SERVED / "assets" / "explorer.js").read_text(encoding="utf-8")
    for dangerous in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert dangerous not in script
