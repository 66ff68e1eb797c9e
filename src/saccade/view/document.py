"""One HTML file that needs nothing else: style and script inside, everything from outside forbidden."""

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from string import Template

# The explorer's component, built from explorer/src: attention to look around in, and captioned pictures.
COMPONENT_STYLES = ("base.css", "attention.css")
COMPONENT_SCRIPTS = ("attention.js",)


def static_text(name: str) -> str:
    """A file of the folder ``static`` beside this one."""
    return (files("saccade.view") / "static" / name).read_text(encoding="utf-8")


def filled(name: str, **parts: str) -> str:
    """A template of the folder ``static`` with its ``$names`` replaced. The parts are HTML already."""
    return Template(static_text(name)).substitute(parts)


def json_for_script(data: object) -> str:
    """JSON that can stand inside a script element: no text in it can end the element or begin a comment."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def document(*, title: str, body: str, styles: tuple[str, ...], scripts: tuple[str, ...]) -> str:
    """The whole file. The policy names the one style and the one script by their hash: nothing else may load or run.

    Pictures may stand in the file itself, as data.
    """
    style, script = ("\n".join(static_text(name) for name in names) for names in (styles, scripts))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return filled("page.html", policy=policy, title=escape(title), style=style, body=body, script=script)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
