"""What one word looks at, layer by layer; two texts that differ in a word side by side, each with its own panel."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from saccade.attention.seen import Attended
from saccade.errors import ModelError
from saccade.view.heatmap import (
    QUIET,
    SLANT,
    draw_bar,
    draw_matrix,
    inches,
    label_of,
    new_figure,
    scale_of,
    type_of,
)
from saccade.view.weights import head_matrix, head_words

MARKS = ("[CLS]", "[SEP]", "<s>", "</s>")
CELL, SIZE = 0.36, 10.0


@dataclass(frozen=True)
class LookedAt:
    """The weights of one word in every layer, (layers, words), marks left out; ``place`` is its column."""

    words: tuple[str, ...]
    place: int
    layers: tuple[str, ...]
    weights_LK: NDArray[np.float32]


def looked_at(layers: Sequence[Attended], word: str, *, head: int | None = None) -> LookedAt:
    """What the last occurrence of ``word`` looks at in each self-attention layer, the last layer first."""
    own = [one for one in layers if one.queries == one.keys]
    if not own:
        raise ModelError("there is no self-attention layer in which a word could look at others")
    tokens = own[0].queries
    if word not in tokens:
        shown = ", ".join(dict.fromkeys(token for token in tokens if token not in MARKS))
        raise ModelError(f"the word {word!r} is not among the tokens of the text: {shown}")
    query = len(tokens) - 1 - tokens[::-1].index(word)
    kept = [place for place, token in enumerate(tokens) if token not in MARKS]
    rows = [head_matrix(one, head)[query, kept] for one in reversed(own)]
    return LookedAt(
        tuple(tokens[place] for place in kept),
        kept.index(query),
        tuple(one.layer for one in reversed(own)),
        np.stack(rows),
    )


def word_by_layer(texts: Sequence[Sequence[Attended]], word: str, *, head: int | None = None) -> Figure:
    """One panel for each text on one colour scale: a row for each layer, a column for each word of the text."""
    panels = [looked_at(layers, word, head=head) for layers in texts]
    largest = max(scale_of(panel.weights_LK) for panel in panels)
    slant = np.deg2rad(SLANT)
    top = max(inches(label_of(token), SIZE) for panel in panels for token in panel.words) * np.sin(slant) + 0.85
    left, gap, bottom = 0.95, 0.75, 0.65
    widths = [CELL * len(panel.words) for panel in panels]
    height = CELL * max(len(panel.layers) for panel in panels)
    total_width = left + sum(widths) + gap * len(panels)
    total_height = top + height + bottom
    figure = new_figure(total_width, total_height)
    heads = texts[0][0].weights_HQK.shape[0]
    title = f"What “{word}” looks at, layer by layer ({head_words(head, heads)}; marks left out)"
    figure.text(0.25 / total_width, 1 - 0.2 / total_height, title, ha="left", va="top", **type_of(11))
    x = left
    for number, (panel, width) in enumerate(zip(panels, widths, strict=True)):
        axes = figure.add_axes((x / total_width, bottom / total_height, width / total_width, height / total_height))
        image = draw_matrix(axes, panel.weights_LK, largest=largest, cell_points=CELL * 72)
        for place, token in enumerate(panel.words):
            weight = "bold" if place == panel.place else "normal"
            axes.text(
                place,
                -0.75,
                label_of(token),
                rotation=SLANT,
                ha="left",
                va="bottom",
                rotation_mode="anchor",
                fontweight=weight,
                **type_of(SIZE),
            )
        axes.axvline(panel.place, color="#c8622a", linewidth=1.0, alpha=0.6)
        if number == 0:
            for row, layer in enumerate(panel.layers):
                said = f"layer {layer.split('.')[1]}" if layer.count(".") == 2 else layer
                axes.text(-0.8, row, said, ha="right", va="center_baseline", **type_of(9, QUIET))
            draw_bar(figure, image, left=left, width=width, bottom=0.28)
        x += width + gap
    return figure
