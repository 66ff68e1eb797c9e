"""Scenes for pictures: one, two or three clusters, large enough that every word about them can be seen.

They are scenes like those of :mod:`saccade.scenes.sampler`, drawn nearer. What has a size here, shapes and things that
stand alone, has one of three that can be told apart; what is hard to know when small comes in two. Nothing stands so
that its place or its relation to another is in doubt.
"""

from collections.abc import Sequence
from random import Random
from typing import Literal

from saccade.scenes.dice import pick
from saccade.scenes.kinds import FITS_ON_A_SURFACE, KINDS, PEOPLE, SHAPES, SIZES, STANDING, TAKEN_BY, Deed
from saccade.scenes.placing import Cluster, anywhere, clearly, line_up, scene_of
from saccade.scenes.world import Box, Scene, Thing, holds

About = Literal["all", "shapes", "things", "people"]
Layout = Literal["alone", "pair", "row", "stack", "deed"]

SIDES = {"small": 0.17, "medium": 0.26, "big": 0.4}
AIR = 0.03  # between the things of a group
PERSON_HEIGHT = {"man": 0.76, "woman": 0.76, "boy": 0.58, "girl": 0.58}
SLIM = 0.4  # a figure's breadth for its height
WORN_AT = {"hat": (0.0, 0.17), "cap": (0.0, 0.17), "scarf": (0.3, 0.44), "coat": (0.33, 0.84)}
WORN_ELSEWHERE = (0.33, 0.62)
HELD_UP = ("balloon", "kite", "flag", "umbrella")
HELD_LOW = ("bag", "basket")
HAND = 0.52  # of the figure's height
HELD_SIDE, RIDDEN_SIDE = 0.42, 0.75  # of the figure's height
FLAT_SURFACES = ("table", "bench", "box")
FINE = frozenset(kind.name for kind in KINDS.values() if kind.family in ("animal", "toy", "vehicle"))
"""What is not known when it is small."""
LAYOUTS: dict[About, tuple[Layout, ...]] = {
    "all": ("alone", "alone", "pair", "pair", "pair", "row", "stack", "deed", "deed", "deed"),
    "shapes": ("alone", "alone", "pair", "pair", "pair", "row"),
    "things": ("alone", "alone", "pair", "pair", "pair", "row", "stack"),
    "people": ("deed",),
}
DOING: tuple[tuple[Deed, ...], ...] = (("hold",), ("wear",), ("ride",), ("wear", "hold"), ("wear", "ride"))
STANDING_BY: tuple[tuple[Deed, ...], ...] = ((), ("hold",), ("wear",))
ABOUT: tuple[About, ...] = tuple(LAYOUTS)


def sample_closeup(rng: Random, about: About = "all") -> Scene:
    """A scene of one of the layouts; every kind occurs once at most."""
    return _Closeup(rng, about).scene()


def person(kind: str, height: float, age: str | None = None, count: int = 1) -> Thing:
    """Figures side by side around the origin."""
    breadth = SLIM * height
    middles = [(at - (count - 1) / 2) * (breadth + AIR) for at in range(count)]
    boxes = tuple(Box(middle - breadth / 2, -height / 2, middle + breadth / 2, height / 2) for middle in middles)
    return Thing(kind, boxes, age=age)


def worn_box(body: Box, kind: str) -> Box:
    """As broad as the figure; a hat is at its top, a coat around its middle."""
    height = body.bottom - body.top
    start, end = WORN_AT.get(kind, WORN_ELSEWHERE)
    return Box(body.left, body.top + start * height, body.right, body.top + end * height)


def held_box(body: Box, kind: str, side: float) -> Box:
    """At the right hand: balloons above it, bags below it, the rest around it."""
    hand = body.top + HAND * (body.bottom - body.top)
    top = hand - side if kind in HELD_UP else hand - 0.05 * side if kind in HELD_LOW else hand - side / 2
    # a balloon's string hangs in its middle, so it stands a little over the hand
    left = body.right - (0.45 * side if kind in HELD_UP and kind != "flag" else 0.12 * side)
    return Box(left, top, left + side, top + side)


def ridden_box(body: Box, side: float) -> Box:
    """Below the figure, and before its legs."""
    middle = (body.left + body.right) / 2
    return Box(middle - side / 2, body.bottom - 0.6 * side, middle + side / 2, body.bottom + 0.4 * side)


class _Closeup:
    def __init__(self, rng: Random, about: About) -> None:
        self.rng = rng
        self.about = about
        self.kinds: set[str] = set()

    def scene(self) -> Scene:
        layout = pick(self.rng, LAYOUTS[self.about])
        if layout == "alone":
            return scene_of([clearly(self.rng, self.group(most=6, most_big=4))])
        if layout == "pair":
            return scene_of(self.pair())
        if layout == "row":
            return scene_of(self.row())
        if layout == "stack":
            return scene_of(self.stack())
        return scene_of([anywhere(self.rng, self.figure(DOING, 1))])

    def kind(self, choices: Sequence[str]) -> str:
        kind = pick(self.rng, [choice for choice in choices if choice not in self.kinds])
        self.kinds.add(kind)
        return kind

    def colour(self, kind: str) -> str | None:
        return pick(self.rng, KINDS[kind].colours) if KINDS[kind].colours else None

    def group(self, *, most: int, most_big: int) -> Cluster:
        """Up to four in two columns, five and six in three; more than ``most_big`` big ones have no room."""
        rng = self.rng
        shape = self.about == "shapes" or (self.about == "all" and rng.random() < 0.5)
        kind = self.kind(SHAPES if shape else STANDING)
        count = 1 if rng.random() < 0.5 else rng.randint(1, min(most, KINDS[kind].largest_group))
        sizes = SIZES[kind in FINE : 3 if count <= most_big else 2]
        size = pick(rng, sizes)
        side = SIDES[size]
        columns = 1 if count == 1 else 2 if count <= 4 else 3
        rows = -(-count // columns)
        middles = [
            ((at % columns - (columns - 1) / 2) * (side + AIR), (at // columns - (rows - 1) / 2) * (side + AIR))
            for at in range(count)
        ]
        boxes = tuple(Box(x - side / 2, y - side / 2, x + side / 2, y + side / 2) for x, y in middles)
        return Cluster((Thing(kind, boxes, self.colour(kind), size),))

    def figure(self, choices: Sequence[tuple[Deed, ...]], scale: float) -> Cluster:
        """Someone who does one of the choices, or one or two who do nothing."""
        rng = self.rng
        kind = self.kind(PEOPLE)
        age = pick(rng, KINDS[kind].ages) if KINDS[kind].ages else None
        deeds = pick(rng, choices)
        count = 1 if deeds else pick(rng, (1, 1, 2))
        body = person(kind, (0.8 if "ride" in deeds else scale) * PERSON_HEIGHT[kind], age, count)
        return Cluster((body, *(self.take(body.hull, deed) for deed in deeds)), deeds)

    def take(self, body: Box, deed: Deed) -> Thing:
        kind = self.kind(TAKEN_BY[deed])
        height = body.bottom - body.top
        if deed == "wear":
            box = worn_box(body, kind)
        elif deed == "hold":
            box = held_box(body, kind, HELD_SIDE * height)
        else:
            box = ridden_box(body, RIDDEN_SIDE * height)
        return Thing(kind, (box,), self.colour(kind))

    def either(self) -> Cluster:
        """A group, or, where the scene may be about everything, someone."""
        if self.about == "all" and self.rng.random() < 0.3:
            return self.figure(STANDING_BY, 0.7)
        return self.group(most=4, most_big=1)

    def pair(self) -> list[Cluster]:
        """Two clusters side by side or one above the other."""
        while True:
            self.kinds.clear()
            one, other = self.either(), self.either()
            placed = line_up(self.rng, [one, other], upright=self.rng.random() < 0.5)
            if placed:
                first, second = (cluster.things[0].hull for cluster in placed)
                if any(holds(relation, first, second) for relation in ("left of", "above")):
                    return placed

    def row(self) -> list[Cluster]:
        """Three single things side by side."""
        while True:
            self.kinds.clear()
            placed = line_up(self.rng, [self.group(most=1, most_big=0) for _ in range(3)], upright=False)
            if placed:
                left, middle, right = (cluster.things[0].hull for cluster in placed)
                if holds("between", middle, left, right):
                    return placed

    def stack(self) -> list[Cluster]:
        """A thing on a piece of furniture."""
        item, surface = self.kind(FITS_ON_A_SURFACE), self.kind(FLAT_SURFACES)
        above, below = SIDES["medium"], SIDES["big"]
        shift = self.rng.uniform(-0.1, 0.1)
        upper = Thing(item, (Box(shift - above / 2, -above, shift + above / 2, 0),), self.colour(item))
        lower = Thing(surface, (Box(-below / 2, 0, below / 2, below),), self.colour(surface))
        both = anywhere(self.rng, Cluster((upper, lower)))
        # one cluster while it is moved, so that the two still touch
        return [Cluster((thing,)) for thing in both.things]
