"""What is there: things with their boxes on a canvas, and what the figures do with them.

The canvas is the unit square with the origin in the top left corner: x grows to the right, y downwards. A
:class:`Thing` is a group of one or more like objects, one box for each; people are things too, and a
:class:`Bond` says what they hold, wear, ride or look at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from saccade.scenes.kinds import Deed

Place = Literal[
    "top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right"
]  # fmt: skip
PLACES: tuple[Place, ...] = (
    "top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right"
)  # fmt: skip
"""The nine cells of the canvas, row by row."""

Relation = Literal["left of", "right of", "above", "below", "next to", "on", "between"]
BINARY_RELATIONS: tuple[Relation, ...] = ("left of", "right of", "above", "below", "next to", "on")
NEAR = 1 / 3  # the widest gap at which two things are still neighbours: one cell


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle on the canvas, in unit coordinates."""

    left: float
    top: float
    right: float
    bottom: float


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box around all of them."""
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing or a group of like things; ``None`` where a kind has no colour, size or age."""

    kind: str
    boxes: tuple[Box, ...]
    colour: str | None = None
    size: str | None = None
    age: str | None = None

    @property
    def count(self) -> int:
        return len(self.boxes)

    @property
    def hull(self) -> Box:
        """The smallest box around the whole group."""
        return self.boxes[0] if len(self.boxes) == 1 else around(self.boxes)


@dataclass(frozen=True, slots=True)
class Bond:
    """The figures ``who`` hold, wear, ride or look at ``what``; both are places in ``Scene.things``."""

    who: int
    deed: Deed
    what: int


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture's content. No two things of a scene are of one kind, so that "the circle" is always clear."""

    things: tuple[Thing, ...]
    bonds: tuple[Bond, ...] = ()

    def owned(self) -> frozenset[int]:
        """The things that a figure holds, wears or rides (what it only looks at stands alone)."""
        return frozenset(bond.what for bond in self.bonds if bond.deed != "look at")


def place_of(box: Box) -> Place:
    """The cell of the canvas in which the box's centre lies."""
    column = min(2, int(3 * (box.left + box.right) / 2))
    row = min(2, int(3 * (box.top + box.bottom) / 2))
    return PLACES[3 * row + column]


def holds(relation: Relation, subject: Box, *landmarks: Box) -> bool:
    """Whether ``subject`` stands in ``relation`` to the landmark (to the two landmarks, for "between").

    Left and right ask that the boxes share a height and are apart sideways; above and below ask that they share
    a breadth and are apart in height; "next to" is left or right with at most one cell of air; "on" is above
    without any air; "between" is right of the one and left of the other.
    """
    landmark = landmarks[0]
    if relation == "between":
        other = landmarks[1]
        return (_left(landmark, subject) and _left(subject, other)) or (
            _left(other, subject) and _left(subject, landmark)
        )
    if relation == "left of":
        return _left(subject, landmark)
    if relation == "right of":
        return _left(landmark, subject)
    if relation == "above":
        return _above(subject, landmark)
    if relation == "below":
        return _above(landmark, subject)
    if relation == "next to":
        gap = max(landmark.left - subject.right, subject.left - landmark.right)
        return gap <= NEAR and (_left(subject, landmark) or _left(landmark, subject))
    return subject.bottom == landmark.top and subject.left < landmark.right and landmark.left < subject.right


def _left(one: Box, other: Box) -> bool:
    return one.right < other.left and one.top < other.bottom and other.top < one.bottom


def _above(one: Box, other: Box) -> bool:
    return one.bottom < other.top and one.left < other.right and other.left < one.right
