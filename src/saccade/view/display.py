"""A translation as a small HTML fragment for notebooks: the texts, and a matrix as inline SVG."""

from html import escape

from saccade.attention.seen import Attended
from saccade.view.weights import head_matrix, head_words, layer_words, visible

_CELL = 15
_SIZE = 11
_LETTER = 6.6


def translation_html(source: str, target: str, attended: Attended | None) -> str:
    """A fragment without style sheet or script; text takes the notebook's own colour, be it light or dark."""
    picture = _matrix_svg(attended) if attended is not None else ""
    return (
        '<div style="font-family: system-ui, sans-serif; line-height: 1.5; margin: 0.5em 0">'
        f'<div style="opacity: 0.7">{escape(source)}</div>'
        f'<div style="font-size: 1.1em">{escape(target)}</div>{picture}</div>'
    )


def _matrix_svg(attended: Attended) -> str:
    """The mean over the heads; pointing at a cell shows its words and weight."""
    weights_QK = head_matrix(attended, None)
    queries, keys = ([visible(token) for token in tokens] for tokens in (attended.queries, attended.keys))
    left = round(max(len(token) for token in queries) * _LETTER) + 12
    longest = max(len(token) for token in keys) * _LETTER
    top = round(longest * 0.77) + 14
    width = left + len(keys) * _CELL + round(longest * 0.64)
    height = top + len(queries) * _CELL + 2
    words = f"{layer_words(attended.layer).sentence}, {head_words(None, attended.weights_HQK.shape[0])}"
    largest = float(weights_QK.max()) or 1.0
    parts = [
        f'<rect x="{left}" y="{top}" width="{len(keys) * _CELL}" height="{len(queries) * _CELL}" '
        'fill="none" stroke="currentColor" stroke-opacity="0.2"/>'
    ]
    for place, token in enumerate(keys):
        x, y = left + place * _CELL + _CELL // 2 + 2, top - 6
        parts.append(f'<text x="{x}" y="{y}" transform="rotate(-50 {x} {y})">{escape(token)}</text>')
    for place, token in enumerate(queries):
        y = top + place * _CELL + _CELL // 2 + 4
        parts.append(f'<text x="{left - 6}" y="{y}" text-anchor="end">{escape(token)}</text>')
    for query, row_K in enumerate(weights_QK):
        for key, weight in enumerate(row_K):
            said = escape(f"{queries[query]} looks at {keys[key]}: {weight:.3f}")
            parts.append(
                f'<rect x="{left + key * _CELL}" y="{top + query * _CELL}" width="{_CELL - 1}" height="{_CELL - 1}" '
                f'fill="#3f7fbf" fill-opacity="{weight / largest:.3f}"><title>{said}</title></rect>'
            )
    return (
        f'<svg width="{width}" height="{height}" role="img" aria-label="{escape(words, quote=True)}" '
        f'style="display: block; margin-top: 0.5em; max-width: 100%" viewBox="0 0 {width} {height}" '
        f'font-size="{_SIZE}" fill="currentColor">{"".join(parts)}</svg>'
    )
