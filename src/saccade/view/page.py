"""The attention of one sentence as one HTML page to look around in: matrix, lines, and all heads at once."""

from collections.abc import Sequence
from html import escape

from saccade.attention.seen import Attended
from saccade.errors import ModelError
from saccade.view.document import COMPONENT_SCRIPTS, COMPONENT_STYLES, document, filled, json_for_script
from saccade.view.packing import packed
from saccade.view.weights import checked_weights, layer_words, visible


def page(layers: Sequence[Attended], *, title: str, source: str, target: str | None = None) -> str:
    """A self-contained page with every layer and head of ``layers``. Texts are shown as they are, never as markup.

    Without a target the source is a text for itself.
    """
    named = {"Text": source} if target is None else {"Source": source, "Target": target}
    texts = "".join(f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in named.items())
    body = f'<h1>{escape(title)}</h1>\n<dl class="texts">{texts}</dl>\n{attention_section(layers)}'
    return document(title=title, body=body, styles=COMPONENT_STYLES, scripts=COMPONENT_SCRIPTS)


def attention_section(layers: Sequence[Attended]) -> str:
    """The component alone, for a page that has `COMPONENT_STYLES` and `COMPONENT_SCRIPTS`."""
    if not layers:
        raise ModelError("there is no attention layer to show: record at least one")
    return filled("attention.html", data=json_for_script({"layers": [_packed(attended) for attended in layers]}))


def _packed(attended: Attended) -> dict[str, object]:
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
