"""Small multiples: for every system with attention the matrix of the same sentence, all on one colour scale."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from saccade.compare.comparison import Comparison
from saccade.compare.looks import Looked
from saccade.compare.measured import Measured
from saccade.compare.picture import labels
from saccade.view.heatmap import (
    QUIET,
    SLANT,
    draw_bar,
    draw_matrix,
    inches,
    label_of,
    new_figure,
    save_figure,
    scale_of,
    type_of,
    write_words,
)
from saccade.view.weights import layer_words

_COLUMNS = 4
_SLANT = math.radians(SLANT)
_CELL = 0.155  # inches
_WORDS, _NAME, _LAYER = 7.0, 10.0, 7.5  # points
_GAP, _BOTTOM = 0.3, 0.5


def save_looks(comparison: Comparison, *paths: Path) -> bool:
    """To ``.png`` and ``.svg`` files; False where no system has anything to draw."""
    systems = [row.system for row in comparison.rows]
    names = labels([system.name for system in systems])
    looks = {name: one.looked for name, one in zip(names, systems, strict=True) if isinstance(one, Measured)}
    drawn = {name: looked for name, looked in looks.items() if looked is not None}
    if not drawn:
        return False
    figure = draw_looks(drawn)
    for path in paths:
        save_figure(figure, path)
    return True


def draw_looks(looks: dict[str, Looked]) -> Figure:
    """A panel for each system, in the order given; source tokens above, target tokens at the left."""
    every = list(looks.values())
    columns = min(_COLUMNS, len(every))
    rows = -(-len(every) // columns)
    left = max(inches(label_of(token), _WORDS) for one in every for token in one.queries) + 0.2
    top = max(inches(label_of(token), _WORDS) for one in every for token in one.keys) * math.sin(_SLANT) + 0.6
    width = left + max(len(one.keys) for one in every) * _CELL + _GAP + _overhang(every)
    height = top + max(len(one.queries) for one in every) * _CELL + _GAP
    across, down = columns * width, rows * height + _BOTTOM
    figure = new_figure(across, down)
    largest = scale_of(np.array([weight for one in every for row_K in one.weights_QK for weight in row_K], np.float32))
    for number, (name, looked) in enumerate(looks.items()):
        row, column = divmod(number, columns)
        x, ceiling = column * width, down - row * height
        matrix_QK = np.array(looked.weights_QK, np.float32)
        tall, wide = (size * _CELL for size in matrix_QK.shape)
        box = ((x + left) / across, (ceiling - top - tall) / down, wide / across, tall / down)
        axes = figure.add_axes(box)
        image = draw_matrix(axes, matrix_QK, largest=largest, cell_points=72 * _CELL)
        write_words(axes, [*map(label_of, looked.queries)], [*map(label_of, looked.keys)], size=_WORDS)
        figure.text((x + 0.15) / across, (ceiling - 0.15) / down, name, va="top", **type_of(_NAME))
        layer = layer_words(looked.layer).sentence
        figure.text((x + 0.15) / across, (ceiling - 0.33) / down, layer, va="top", **type_of(_LAYER, QUIET))
    draw_bar(figure, image, left=0.35, width=width, bottom=0.2)
    return figure


def _overhang(looks: Sequence[Looked]) -> float:
    """By how much the slanted words of the last columns reach over them, in inches."""
    return max(
        inches(label_of(token), _WORDS) * math.cos(_SLANT) - _CELL * (len(one.keys) - place)
        for one in looks
        for place, token in enumerate(one.keys)
    )
