"""Where a captioner looked, after Xu et al. 2015 ("Show, Attend and Tell"): a grey picture, lit where attended."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from saccade.errors import ModelError
from saccade.view.captioned import CaptionLook, Pixels, WordLook, checked_look, checked_pixels, smooth
from saccade.view.heatmap import QUIET, inches, label_of, new_figure, type_of

BOX = "#e8833a"
DARK = 0.36  # how much of the grey picture is left where nothing is attended
LIFT = 0.15  # how far colours move towards white where the attention is largest, so that dark places can be lit too
_LUMA = np.array([0.299, 0.587, 0.114])


def lit(pixels_YX3: Pixels, weights_HW: NDArray[np.float64]) -> Pixels:
    """The picture in bright colour where the attention is largest, dark and grey where it is 0, else in between."""
    height, width, _ = pixels_YX3.shape
    light_YX = smooth(weights_HW, height, width)
    light_YX1 = (light_YX / (light_YX.max() or 1.0))[:, :, None]
    colour_YX3 = pixels_YX3.astype(np.float64)
    grey_YX1 = (colour_YX3 @ _LUMA)[:, :, None]
    bright_YX3 = colour_YX3 + LIFT * (255 - colour_YX3)
    mixed_YX3 = DARK * grey_YX1 * (1 - light_YX1) + bright_YX3 * light_YX1
    shown_YX3: Pixels = np.clip(np.rint(mixed_YX3), 0, 255).astype(np.uint8)
    return shown_YX3


def draw_word(pixels_YX3: Pixels, look: WordLook) -> Figure:
    """One word's attention over the picture, its name above, its boxes drawn."""
    return draw_caption(pixels_YX3, CaptionLook("", (look,)), columns=1, plain=False, panel=3.6)


def draw_caption(
    pixels_YX3: Pixels,
    caption: CaptionLook,
    *,
    columns: int = 6,
    plain: bool = True,
    panel: float = 1.7,
    title: str | None = None,
) -> Figure:
    """A small picture for each word in reading order, behind the plain picture; ``panel`` is the width in inches.

    Without a ``title`` it is the captioner and what was said. Each word is lit by its own largest weight, whose value
    stands below.
    """
    checked_pixels(pixels_YX3)
    if not caption.words:
        raise ModelError("the caption has no words: there is nothing to draw")
    panels: list[WordLook | None] = [*([None] if plain else []), *caption.words]
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    gap, head, foot, margin = 0.16, 0.27, 0.2, 0.25
    picture = panel * pixels_YX3.shape[0] / pixels_YX3.shape[1]
    if title is None:
        title = f"{caption.captioner}: {caption.text}" if caption.captioner else ""
    top = 0.6 if title else margin
    total_width = 2 * margin + max(columns * (panel + gap) - gap, inches(title, 11) if title else 0.0)
    step = head + picture + foot + gap
    total_height = top + rows * step - gap + margin
    figure = new_figure(total_width, total_height)
    if title:
        figure.text(margin / total_width, 1 - 0.2 / total_height, title, ha="left", va="top", **type_of(11))
    for place, look in enumerate(panels):
        x = margin + place % columns * (panel + gap)
        y = total_height - top - place // columns * step - head - picture
        axes = figure.add_axes((x / total_width, y / total_height, panel / total_width, picture / total_height))
        _panel(axes, pixels_YX3, look)
        if look is not None:
            above, below = (y + picture + 0.07) / total_height, (y - 0.05) / total_height
            peak = f"peak {float(look.weights_HW.max()):.2f}"
            figure.text(x / total_width, above, label_of(look.word), ha="left", va="bottom", **type_of(10))
            figure.text(x / total_width, below, peak, ha="left", va="top", **type_of(7.5, QUIET))
    return figure


def _panel(axes: Axes, pixels_YX3: Pixels, look: WordLook | None) -> None:
    height, width, _ = pixels_YX3.shape
    shown = pixels_YX3 if look is None else lit(pixels_YX3, checked_look(look))
    axes.imshow(shown, extent=(0, width, height, 0), aspect="auto", interpolation="antialiased")
    axes.set_axis_off()
    for box in () if look is None else look.boxes:
        corner = (box.left * width, box.top * height)
        size = ((box.right - box.left) * width, (box.bottom - box.top) * height)
        axes.add_patch(Rectangle(corner, *size, fill=False, edgecolor=BOX, linewidth=1.4))
