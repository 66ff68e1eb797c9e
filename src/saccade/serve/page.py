"""The explorer's files, as they were built into the package."""

from dataclasses import dataclass
from pathlib import Path

STATIC = Path(__file__).parent / "static"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".ico": "image/x-icon",
    ".map": "application/json",
}
MISSING = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Saccade</title></head>
<body><h1>Saccade is serving</h1>
<p>The explorer was not built into this package: run <code>npm ci &amp;&amp; npm run build</code> in
<code>explorer/</code>, or install a released wheel. The service itself answers: see
<a href="/v1/models">the models</a> and <a href="/openapi.json">its description</a>.</p></body></html>
"""


@dataclass(frozen=True)
class PageFile:
    content: bytes
    kind: str


def index(static: Path = STATIC) -> PageFile:
    """The page, or one that says what is missing."""
    return page_file("index.html", static) or PageFile(MISSING.encode(), KINDS[".html"])


def page_file(name: str, static: Path = STATIC) -> PageFile | None:
    """A file of the page; nothing that lies outside its folder, and no kind that a page does not need."""
    path = (static / name).resolve()
    if not path.is_relative_to(static.resolve()) or not path.is_file() or path.suffix not in KINDS:
        return None
    return PageFile(path.read_bytes(), KINDS[path.suffix])
