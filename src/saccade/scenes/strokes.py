"""What a drawing is made of: ovals, polygons, bars, hoops and wedges in the unit square.

Coordinates are written in hundredths of the box that is drawn into, x to the right, y downwards. A part is painted in
the colour of its ``role`` (see :func:`saccade.scenes.palette.shades`).
"""

from dataclasses import dataclass, replace
from typing import Literal

Form = Literal["oval", "polygon", "bar", "hoop", "wedge"]


@dataclass(frozen=True, slots=True)
class Part:
    """One stroke. ``width`` is that of a bar or hoop, in hundredths of the box's breadth.

    Around all parts together, but those that are ``inner``, goes the edge of the thing.
    """

    form: Form
    role: str
    points: tuple[float, ...]
    width: float = 0
    start: float = 0
    end: float = 360
    inner: bool = False


Sketch = tuple[Part, ...]


def oval(role: str, left: float, top: float, right: float, bottom: float) -> Part:
    return Part("oval", role, (left, top, right, bottom))


def rect(role: str, left: float, top: float, right: float, bottom: float) -> Part:
    return Part("polygon", role, (left, top, right, top, right, bottom, left, bottom))


def poly(role: str, *points: float) -> Part:
    return Part("polygon", role, points)


def bar(role: str, width: float, *points: float) -> Part:
    """A line through the points."""
    return Part("bar", role, points, width)


def hoop(role: str, width: float, left: float, top: float, right: float, bottom: float) -> Part:
    """An oval with nothing in it."""
    return Part("hoop", role, (left, top, right, bottom), width)


def wedge(role: str, start: float, end: float, left: float, top: float, right: float, bottom: float) -> Part:
    """A slice of an oval, from one angle to the other: 0 is on the right, 90 at the bottom."""
    return Part("wedge", role, (left, top, right, bottom), 0, start, end)


def inside(*parts: Part) -> Sketch:
    """Details, around which there is no edge."""
    return tuple(replace(part, inner=True) for part in parts)
