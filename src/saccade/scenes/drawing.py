"""Draw a scene: a small picture in which everything stands in its box.

Legend: H height, W width, C red-green-blue.

Places and sizes come from the scene, so its boxes are the true regions of the picture; the seed decides only how things
look there: the ground, the light, a little of each colour, to which side an animal looks, the figures' hair and skin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from saccade.errors import DataError
from saccade.scenes.dice import pick
from saccade.scenes.figures import figure
from saccade.scenes.kinds import KINDS
from saccade.scenes.palette import GROUNDS, PAINTS, Colour, looks, shades, stray
from saccade.scenes.sketches import SKETCHES, TURNABLE
from saccade.scenes.strokes import Part, Sketch
from saccade.scenes.world import Box, Scene

FINER = 4  # drawn so many times larger, then reduced: that makes edges soft
LEAST_PIXELS = 16
EDGE = 0.008  # how broad the line around a thing is, as a share of the picture
LIGHT = 5  # how much brighter than its middle the picture is at most on one side


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """``pixels_HWC`` from 0 to 255; ``owner_HW`` says whose pixel it is: 0 the ground, n + 1 thing n of the scene."""

    pixels_HWC: npt.NDArray[np.uint8]
    owner_HW: npt.NDArray[np.uint8]

    def mask(self, *things: int) -> npt.NDArray[np.bool_]:
        """Where the things are seen, [H, W]; what stands behind another is not seen."""
        return np.isin(self.owner_HW, [thing + 1 for thing in things])

    def image(self) -> Image.Image:
        """For saving and showing."""
        return Image.fromarray(self.pixels_HWC)


def draw(scene: Scene, size: int = 64, seed: int = 0) -> Picture:
    """The scene on ``size`` × ``size`` pixels."""
    if size < LEAST_PIXELS:
        raise DataError(f"scenes: a picture of {size} pixels was asked for; it needs {LEAST_PIXELS} or more")
    rng = Random(seed)
    pen = _Pen(size, stray(rng, pick(rng, GROUNDS)))
    reaching = {bond.who for bond in scene.bonds if bond.deed == "hold"}
    for number in _back_to_front(scene):
        thing = scene.things[number]
        if KINDS[thing.kind].family == "person":
            sketch = figure(thing.kind, thing.age, reaches=number in reaching)
        else:
            sketch = SKETCHES[thing.kind]
        for box in thing.boxes:
            colours = looks(rng, thing.age) if thing.colour is None else shades(stray(rng, PAINTS[thing.colour]))
            turned = rng.random() < 0.5 and thing.kind in TURNABLE
            pen.sketch(sketch, box, colours, owner=number + 1, turned=turned)
    return pen.picture(slope=(rng.uniform(-LIGHT, LIGHT), rng.uniform(-LIGHT, LIGHT)))


def contact_sheet(pictures: Sequence[Picture], columns: int, gap: int = 4) -> Image.Image:
    """Many pictures of one size in one image, row by row."""
    side = pictures[0].pixels_HWC.shape[0]
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * (side + gap) + gap, rows * (side + gap) + gap), "white")
    for at, picture in enumerate(pictures):
        sheet.paste(picture.image(), (gap + at % columns * (side + gap), gap + at // columns * (side + gap)))
    return sheet


def _back_to_front(scene: Scene) -> list[int]:
    """Figures before what they have: a hat is over the hair, a horse before its rider's legs."""
    return sorted(range(len(scene.things)), key=lambda number: number in scene.owned())


class _Pen:
    """Draws the picture and, beside it, whose each pixel is."""

    def __init__(self, size: int, ground: Colour) -> None:
        self.size = size
        self.side = size * FINER
        self.edge = max(1, round(EDGE * self.side))
        self.colours = Image.new("RGB", (self.side, self.side), ground.rgb)
        self.owners = Image.new("L", (self.side, self.side), 0)
        self.brush = ImageDraw.Draw(self.colours)
        self.stamp = ImageDraw.Draw(self.owners)

    def sketch(self, sketch: Sketch, box: Box, colours: dict[str, Colour], *, owner: int, turned: bool) -> None:
        """First all parts a little larger in the colour of the edge, then the parts themselves."""
        frame = _Frame(box, self.side, self.edge, turned)
        edge = colours["edge"].rgb
        for part in sketch:
            if not part.inner:
                _stroke(self.brush, part, frame, edge, self.edge)
                _stroke(self.stamp, part, frame, owner, self.edge)
        for part in sketch:
            _stroke(self.brush, part, frame, colours[part.role].rgb, 0)

    def picture(self, slope: tuple[float, float]) -> Picture:
        """Reduce both, and let light fall on the picture from one side."""
        away = np.linspace(-1, 1, self.size, dtype=np.float32)
        light_HW = slope[0] * away[None, :] + slope[1] * away[:, None]
        small_HWC = np.asarray(self.colours.reduce(FINER), dtype=np.float32) + light_HW[:, :, None]
        middle = FINER // 2
        return Picture(
            np.clip(small_HWC, 0, 255).astype(np.uint8),
            np.ascontiguousarray(np.asarray(self.owners)[middle::FINER, middle::FINER]),
        )


class _Frame:
    """From hundredths of a box to the pixels of the large picture; the edge stays within the box too."""

    def __init__(self, box: Box, side: int, edge: int, turned: bool) -> None:
        left, right = box.left * side + edge, box.right * side - edge - 1
        self.left, self.breadth = (right, (left - right) / 100) if turned else (left, (right - left) / 100)
        self.top = box.top * side + edge
        self.height = ((box.bottom - box.top) * side - 2 * edge - 1) / 100
        self.turned = turned

    def points(self, points: tuple[float, ...]) -> list[float]:
        left, breadth, top, height = self.left, self.breadth, self.top, self.height
        return [top + height * value if at % 2 else left + breadth * value for at, value in enumerate(points)]

    def corners(self, points: tuple[float, ...], grow: float) -> list[float]:
        """Left, top, right, bottom."""
        left, top, right, bottom = self.points(points)
        if self.turned:
            left, right = right, left
        return [left - grow, top - grow, max(left, right) + grow, max(top, bottom) + grow]


def _stroke(
    brush: ImageDraw.ImageDraw, part: Part, frame: _Frame, colour: int | tuple[int, int, int], grow: int
) -> None:
    """Draw one part, ``grow`` pixels larger on all sides."""
    match part.form:
        case "oval":
            brush.ellipse(frame.corners(part.points, grow), fill=colour)
        case "polygon":
            points = frame.points(part.points)
            brush.polygon(points, fill=colour)
            if grow:
                _line(brush, [*points, *points[:2]], 2 * grow + 1, colour)
        case "bar":
            width = max(1, round(part.width * abs(frame.breadth))) + 2 * grow
            _line(brush, frame.points(part.points), width, colour)
        case "hoop":
            width = max(1, round(part.width * abs(frame.breadth))) + 2 * grow
            brush.ellipse(frame.corners(part.points, grow), outline=colour, width=width)
        case "wedge":
            start, end = (180 - part.end, 180 - part.start) if frame.turned else (part.start, part.end)
            brush.pieslice(frame.corners(part.points, grow), start, end, fill=colour)


def _line(brush: ImageDraw.ImageDraw, points: list[float], width: int, colour: int | tuple[int, int, int]) -> None:
    """A line with round corners."""
    brush.line(points, fill=colour, width=width)
    half = (width - 1) / 2
    if half >= 1:
        for at in range(0, len(points), 2):
            x, y = points[at], points[at + 1]
            brush.ellipse((x - half, y - half, x + half, y + half), fill=colour)
