"""Attention as a heatmap, after Bahdanau, Cho and Bengio (2015, figure 3): source words on top, target words left.

Figures are made without pyplot, so nothing global is touched and no window is opened.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.image import AxesImage
from matplotlib.textpath import TextPath
from numpy.typing import NDArray

from saccade.attention.seen import Attended
from saccade.errors import ModelError
from saccade.view.weights import checked_weights, head_matrix, head_words, layer_words, visible

SUFFIXES = (".png", ".svg")

_INK = "#1c2733"
QUIET = "#66717d"
_PAPER = "#ffffff"
_WEIGHTS = LinearSegmentedColormap.from_list("saccade", [_PAPER, "#c3d0dc", "#6f8aa5", "#2f4b68", "#101d2b"])
_FONT = "DejaVu Sans"
SLANT = 50.0
_LONGEST_LABEL = 24
_POINTS_PER_INCH = 72.0


def draw(attended: Attended, *, head: int | None = None) -> Figure:
    """One matrix with its words. ``head`` counts from 0; None draws the mean over the heads.

    The darkest colour is the largest weight of the matrix; the colour bar gives its value.
    """
    weights_QK = head_matrix(attended, head)
    queries, keys = ([label_of(token) for token in tokens] for tokens in (attended.queries, attended.keys))
    longest = max(len(queries), len(keys))
    cell = float(np.interp(longest, [12, 60], [0.34, 0.19]))
    size = float(np.interp(longest, [12, 60], [11.0, 8.0]))
    width, height = cell * len(keys), cell * len(queries)
    slant = np.deg2rad(SLANT)
    left = max(inches(label, size) for label in queries) + 0.25 + 0.3 * cell
    top = max(inches(label, size) for label in keys) * np.sin(slant) + 0.75
    overhang = max(inches(label, size) * np.cos(slant) - cell * (len(keys) - place) for place, label in enumerate(keys))
    right = max(float(overhang), 0.0) + 0.25
    bottom = 0.55
    title = _title(attended, head)
    total_width = max(left + width + right, inches(title, 11) + 0.5)
    total_height = top + height + bottom
    figure = new_figure(total_width, total_height)
    axes = figure.add_axes((left / total_width, bottom / total_height, width / total_width, height / total_height))
    image = draw_matrix(axes, weights_QK, largest=scale_of(weights_QK), cell_points=cell * _POINTS_PER_INCH)
    write_words(axes, queries, keys, size=size)
    figure.text(0.25 / total_width, 1 - 0.22 / total_height, title, ha="left", va="top", **type_of(11))
    draw_bar(figure, image, left=left, width=width, bottom=0.28)
    return figure


def grid(attended_layers: Sequence[Attended]) -> Figure:
    """Small multiples: a row for each layer, a column for each head, all on one colour scale from 0 to the largest."""
    if not attended_layers:
        raise ModelError("there is no attention layer to draw: record at least one")
    weights = [checked_weights(attended) for attended in attended_layers]
    names = [layer_words(attended.layer).sentence for attended in attended_layers]
    largest = max(scale_of(weights_HQK) for weights_HQK in weights)
    columns = max(len(weights_HQK) for weights_HQK in weights)
    panel, gap, top, right, bottom = 1.15, 0.14, 0.55, 0.25, 0.6
    left = max(inches(name, 9) for name in names) + 0.4
    total_width = left + columns * (panel + gap) - gap + right
    total_height = top + len(weights) * (panel + gap) - gap + bottom
    figure = new_figure(total_width, total_height)
    image: AxesImage | None = None
    for row, (weights_HQK, name) in enumerate(zip(weights, names, strict=True)):
        y = total_height - top - panel - row * (panel + gap)
        figure.text(
            (left - 0.15) / total_width, (y + panel / 2) / total_height, name, ha="right", va="center", **type_of(9)
        )
        for head, weights_QK in enumerate(weights_HQK):
            x = left + head * (panel + gap)
            axes = figure.add_axes((x / total_width, y / total_height, panel / total_width, panel / total_height))
            image = draw_matrix(axes, weights_QK, largest=largest, cell_points=0.0)
    for head in range(columns):
        x = left + head * (panel + gap) + panel / 2
        figure.text(x / total_width, 1 - (top - 0.12) / total_height, f"head {head}", ha="center", **type_of(9))
    if image is not None:
        draw_bar(figure, image, left=left, width=columns * (panel + gap) - gap, bottom=0.3)
    return figure


def save(attended: Attended, path: Path, *, head: int | None = None) -> None:
    """Draw to a ``.png`` or ``.svg`` file. The same weights give the same bytes."""
    save_figure(draw(attended, head=head), path)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as ``.png`` or ``.svg``."""
    check_picture(path)
    # text stays text in SVG, to be searched and read aloud; a fixed salt and no date make the file repeatable
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "saccade"}):
        if path.suffix.lower() == ".svg":
            figure.savefig(path, format="svg", facecolor=_PAPER, metadata={"Date": None})
        else:
            figure.savefig(path, format="png", facecolor=_PAPER, dpi=200)


def check_picture(path: Path) -> None:
    """Says that a picture cannot be saved there, for those who would else learn it after long work."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ModelError(f"{path}: unknown kind of picture {suffix!r}; known are {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise ModelError(f"{path.parent} is not a folder: make it before a picture is saved there")


def new_figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), facecolor=_PAPER)
    FigureCanvasAgg(figure)
    return figure


def draw_matrix(axes: Axes, weights_QK: NDArray[np.float32], *, largest: float, cell_points: float) -> AxesImage:
    rows, columns = weights_QK.shape
    # a mesh would draw seams in SVG viewers; an image with white lines over it does not
    image = axes.imshow(weights_QK, cmap=_WEIGHTS, vmin=0.0, vmax=largest, aspect="auto", interpolation="nearest")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set(color="#c9d0d7", linewidth=0.6)
    if cell_points:
        between = min(1.2, cell_points * 0.06)
        axes.vlines(np.arange(1, columns) - 0.5, -0.5, rows - 0.5, colors=_PAPER, linewidth=between)
        axes.hlines(np.arange(1, rows) - 0.5, -0.5, columns - 0.5, colors=_PAPER, linewidth=between)
    return image


def write_words(axes: Axes, queries: Sequence[str], keys: Sequence[str], *, size: float) -> None:
    """The words of a matrix: keys above its columns, queries left of its rows."""
    for place, label in enumerate(keys):
        axes.text(place, -0.75, label, rotation=SLANT, ha="left", va="bottom", rotation_mode="anchor", **type_of(size))
    for place, label in enumerate(queries):
        axes.text(-0.8, place, label, ha="right", va="center_baseline", **type_of(size))


def draw_bar(figure: Figure, image: AxesImage, *, left: float, width: float, bottom: float) -> None:
    """A short scale below the matrix, with its two ends named."""
    total_width, total_height = figure.get_size_inches()
    length = min(1.2, max(width - 0.6, 0.3))
    axes = figure.add_axes((left / total_width, bottom / total_height, length / total_width, 0.07 / total_height))
    bar = figure.colorbar(image, cax=axes, orientation="horizontal", ticks=[])
    bar.outline.set(color="#c9d0d7", linewidth=0.6)
    y = (bottom + 0.035) / total_height
    largest = f"{image.norm.vmax:.2g}"
    figure.text((left - 0.08) / total_width, y, "0", ha="right", va="center_baseline", **type_of(8, QUIET))
    figure.text((left + length + 0.08) / total_width, y, largest, va="center_baseline", **type_of(8, QUIET))


def scale_of(weights: NDArray[np.float32]) -> float:
    """The largest weight, rounded up to a twentieth, so that neighbouring pictures mostly share a scale."""
    return float(np.ceil(max(float(weights.max()), 0.05) * 20 - 1e-4) / 20)


def _title(attended: Attended, head: int | None) -> str:
    heads = attended.weights_HQK.shape[0]
    words = f"{layer_words(attended.layer).sentence}, {head_words(head, heads)}"
    return words[:1].upper() + words[1:]


def label_of(token: str) -> str:
    shown = visible(token)
    return shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 1] + "…"


def type_of(size: float, color: str = _INK) -> dict[str, Any]:
    # a token such as $x$ is text, not mathematics
    return {"fontsize": size, "color": color, "fontfamily": _FONT, "parse_math": False}


def inches(text: str, size: float) -> float:
    path = TextPath((0, 0), text.replace("$", "S"), size=size, prop=FontProperties(family=_FONT))
    return float(path.get_extents().width) / _POINTS_PER_INCH if len(path.vertices) else 0.0
