"""The attention of one sentence or picture as one HTML page to look around in: lines, matrix, and all heads at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from saccade.attention.seen import Attended
from saccade.errors import ModelError
from saccade.view.address import picture_address
from saccade.view.captioned import Pixels
from saccade.view.document import COMPONENT_SCRIPTS, COMPONENT_STYLES, document, filled, json_for_script
from saccade.view.packing import packed
from saccade.view.weights import checked_weights, layer_words, visible


@dataclass(frozen=True)
class Pictured:
    """A picture of (Y, X, 3) bytes and the grid of places, row by row, that are the keys of its cross-attention."""

    pixels_YX3: Pixels
    rows: int
    columns: int


def page(
    layers: Sequence[Attended], *, title: str, source: str, target: str | None = None, picture: Pictured | None = None
) -> str:
    """A self-contained page with every layer and head of ``layers``. Texts are shown as they are, never as markup.

    Without a target the source is a text for itself. With a ``picture`` each word shows where on it it looked.
    """
    named = {"Text": source} if target is None else {"Source": source, "Target": target}
    texts = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in named.items())
    body = f'<h1>{escape(title)}</h1>\n<dl class="texts">{texts}</dl>\n{attention_section(layers, picture)}'
    return document(title=title, body=body, styles=COMPONENT_STYLES, scripts=COMPONENT_SCRIPTS)


def attention_section(layers: Sequence[Attended], picture: Pictured | None = None) -> str:
    """The component alone, for a page that has `COMPONENT_STYLES` and `COMPONENT_SCRIPTS`."""
    if not layers:
        raise ModelError("there is no attention layer to show: record at least one")
    data = {"layers": [packed_layer(attended) for attended in layers], "picture": _pictured(picture)}
    return filled("attention.html", data=json_for_script(data))


def _pictured(picture: Pictured | None) -> dict[str, object] | None:
    if picture is None:
        return None
    return {"rows": picture.rows, "columns": picture.columns, "address": picture_address(picture.pixels_YX3)}


def packed_layer(attended: Attended) -> dict[str, object]:
    """The layer as JSON."""
    weights_HQK = checked_weights(attended)
    words = layer_words(attended.layer)
    return {
        "name": attended.layer,
        "words": words.sentence,
        "group": words.group,
        "place": words.place,
        "kind": attended.layer.rpartition(".")[2],
        "queries": [visible(token) for token in attended.queries],
        "keys": [visible(token) for token in attended.keys],
        "heads": len(weights_HQK),
        **packed(weights_HQK),
    }
