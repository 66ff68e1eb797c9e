"""Draw a scene: two to four clusters, each in its own cell of the canvas.

A cluster is a group of like things, figures with what they hold, wear or ride, or a thing on a piece of furniture.
Sizes are absolute: a small thing is as small in a group as alone, so that "small" can be seen in the picture.
"""

from collections.abc import Sequence
from itertools import permutations
from random import Random

from saccade.scenes.dice import pick
from saccade.scenes.kinds import FITS_ON_A_SURFACE, KINDS, PEOPLE, SHAPES, SIZES, STANDING, SURFACES, TAKEN_BY, Deed
from saccade.scenes.world import Bond, Box, Scene, Thing

CELL = 1 / 3
SIDES = {"small": 0.07, "medium": 0.1, "big": 0.15}
PERSON_WIDTH, PERSON_HEIGHT = 0.08, 0.26
WORN_AT = {"hat": (0.0, 0.2), "cap": (0.0, 0.2), "scarf": (0.25, 0.4), "coat": (0.3, 0.85)}
WORN_ELSEWHERE = (0.3, 0.6)  # from which to which part of the figure's height a garment reaches
CELLS = {count: tuple(permutations(range(9), count)) for count in (2, 3, 4)}
ROWS = tuple(cells for row in (0, 3, 6) for cells in permutations(range(row, row + 3)))
SHIFT = 0.005  # how far a cluster may stand from the middle of its cell


def sample_scene(rng: Random) -> Scene:
    """A scene with its geometry; every kind occurs once at most."""
    return _Sampler(rng).scene()


class _Sampler:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.things: list[Thing] = []
        self.bonds: list[Bond] = []
        self.kinds: set[str] = set()

    def scene(self) -> Scene:
        rng = self.rng
        figures: list[int] = []
        standing: list[int] = []
        for cell in self.cells():
            x = (cell % 3 + 0.5) * CELL + rng.uniform(-SHIFT, SHIFT)
            y = (cell // 3 + 0.5) * CELL + rng.uniform(-SHIFT, SHIFT)
            standing.append(len(self.things))
            draw = rng.random()
            if draw < 0.4:
                figures.append(len(self.things))
                self.figures(x, y)
            elif draw < 0.68:
                self.group(self.kind(SHAPES), x, y)
            elif draw < 0.9:
                self.group(self.kind(STANDING), x, y)
            else:
                self.stack(x, y)
        for figure in figures:
            if rng.random() < 0.4:
                seen = pick(rng, standing)
                if seen != figure:
                    self.bonds.append(Bond(figure, "look at", seen))
        return Scene(tuple(self.things), tuple(self.bonds))

    def cells(self) -> tuple[int, ...]:
        """Two to four cells; three of them often make a row, so that one thing stands between two."""
        count = pick(self.rng, (2, 3, 3, 4))
        return pick(self.rng, ROWS if count == 3 and self.rng.random() < 0.4 else CELLS[count])

    def kind(self, choices: Sequence[str]) -> str:
        kind = pick(self.rng, choices)
        while kind in self.kinds:
            kind = pick(self.rng, choices)
        self.kinds.add(kind)
        return kind

    def add(self, kind: str, boxes: tuple[Box, ...], size: str | None) -> int:
        stock = KINDS[kind]
        colour = pick(self.rng, stock.colours) if stock.colours else None
        age = pick(self.rng, stock.ages) if stock.ages else None
        self.things.append(Thing(kind, boxes, colour, size, age))
        return len(self.things) - 1

    def group(self, kind: str, x: float, y: float) -> None:
        """Up to four in two columns, five and six in three, where big things have no room."""
        count = 1 if self.rng.random() < 0.5 else self.rng.randint(1, KINDS[kind].largest_group)
        size = pick(self.rng, SIZES if count <= 4 else SIZES[:2])
        columns = 1 if count == 1 else 2 if count <= 4 else 3
        rows = -(-count // columns)
        pitch = CELL / max(columns, 2)
        boxes = tuple(
            _square(x + (at % columns - (columns - 1) / 2) * pitch, y + (at // columns - (rows - 1) / 2) * pitch, size)
            for at in range(count)
        )
        self.add(kind, boxes, size)

    def stack(self, x: float, y: float) -> None:
        """A thing on a piece of furniture: they touch in the middle of the cell."""
        above, below = pick(self.rng, SIZES), pick(self.rng, SIZES[1:])
        item, surface = SIDES[above], SIDES[below]
        self.add(self.kind(FITS_ON_A_SURFACE), (Box(x - item / 2, y - item, x + item / 2, y),), above)
        self.add(self.kind(SURFACES), (Box(x - surface / 2, y, x + surface / 2, y + surface),), below)

    def figures(self, x: float, y: float) -> None:
        rng = self.rng
        kind = self.kind(PEOPLE)
        count = pick(rng, (1, 1, 1, 1, 2, 3))
        pitch = CELL / count
        top, bottom = y - PERSON_HEIGHT / 2, y + PERSON_HEIGHT / 2
        lefts = [x + (at - (count - 1) / 2) * pitch - PERSON_WIDTH / 2 for at in range(count)]
        bodies = tuple(Box(left, top, left + PERSON_WIDTH, bottom) for left in lefts)
        who = self.add(kind, bodies, None)
        if rng.random() < 0.6:
            self.take(who, "wear", bodies, None)
        draw = rng.random()
        if draw < 0.45:
            sizes = [size for size in SIZES if SIDES[size] + PERSON_WIDTH <= pitch]
            if sizes:
                self.take(who, "hold", bodies, pick(rng, sizes))
        elif draw < 0.75:
            self.take(who, "ride", bodies, pick(rng, [size for size in SIZES if SIDES[size] <= pitch]))

    def take(self, who: int, deed: Deed, bodies: tuple[Box, ...], size: str | None) -> None:
        kind = self.kind(TAKEN_BY[deed])
        self.bonds.append(Bond(who, deed, len(self.things)))
        if size is None:
            start, end = WORN_AT.get(kind, WORN_ELSEWHERE)
            boxes = [
                Box(body.left, body.top + start * PERSON_HEIGHT, body.right, body.top + end * PERSON_HEIGHT)
                for body in bodies
            ]
        elif deed == "hold":
            # at the right hand, or before the body where the cell has no room beside it
            side = SIDES[size]
            room = CELL / len(bodies) / 2 - SHIFT - PERSON_WIDTH / 2
            lefts = [body.right + min(0, room - side) for body in bodies]
            tops = [body.top + PERSON_HEIGHT / 3 for body in bodies]
            boxes = [Box(left, top, left + side, top + side) for left, top in zip(lefts, tops, strict=True)]
        else:
            side = SIDES[size]
            boxes = [_square((body.left + body.right) / 2, body.bottom - side / 2, size) for body in bodies]
        self.add(kind, tuple(boxes), size)


def _square(x: float, y: float, size: str) -> Box:
    half = SIDES[size] / 2
    return Box(x - half, y - half, x + half, y + half)
