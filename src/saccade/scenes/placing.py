"""Put clusters of things on the canvas, so that nothing about their places is in doubt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from saccade.scenes.kinds import Deed
from saccade.scenes.world import Bond, Box, Place, Scene, Thing, around, place_of

MARGIN = 0.02  # at the border of the picture
GAP = 0.05  # the least air between two clusters
SURE = 0.03  # how far inside its cell the middle of a thing lies


@dataclass(frozen=True, slots=True)
class Cluster:
    """Things that stay together; the first one stands, and ``deeds`` say what it does with those after it."""

    things: tuple[Thing, ...]
    deeds: tuple[Deed, ...] = ()

    @property
    def hull(self) -> Box:
        return around([box for thing in self.things for box in thing.boxes])


def scene_of(placed: Sequence[Cluster]) -> Scene:
    """The scene that the clusters make where they are."""
    things: list[Thing] = []
    bonds: list[Bond] = []
    for cluster in placed:
        who = len(things)
        bonds += [Bond(who, deed, who + 1 + at) for at, deed in enumerate(cluster.deeds)]
        things += cluster.things
    return Scene(tuple(things), tuple(bonds))


def anywhere(rng: Random, cluster: Cluster) -> Cluster:
    """The cluster at any place inside the picture."""
    hull = cluster.hull
    x = rng.uniform(MARGIN - hull.left, 1 - MARGIN - hull.right)
    y = rng.uniform(MARGIN - hull.top, 1 - MARGIN - hull.bottom)
    return _moved(cluster, x, y)


def clearly(rng: Random, cluster: Cluster) -> Cluster:
    """The cluster in some cell of the canvas, its middle clearly inside."""
    while True:
        placed = anywhere(rng, cluster)
        hull = placed.hull
        if _place(hull, -SURE) == _place(hull, SURE):
            return placed


def line_up(rng: Random, clusters: Sequence[Cluster], *, upright: bool) -> list[Cluster]:
    """The clusters one after the other with some air between; none where they have no room."""
    hulls = [cluster.hull for cluster in clusters]
    lengths = [hull.bottom - hull.top if upright else hull.right - hull.left for hull in hulls]
    spare = 1 - 2 * MARGIN - sum(lengths) - GAP * (len(clusters) - 1)
    if spare < 0:
        return []
    line = rng.uniform(0.38, 0.62)
    start, before = MARGIN, 0.0
    placed: list[Cluster] = []
    for cluster, hull, length, cut in zip(
        clusters, hulls, lengths, sorted(rng.random() * spare for _ in clusters), strict=True
    ):
        start += cut - before
        aside = line + rng.uniform(-GAP, GAP)
        if upright:
            aside = _within(aside, hull.right - hull.left)
            placed.append(_moved(cluster, aside - (hull.left + hull.right) / 2, start - hull.top))
        else:
            aside = _within(aside, hull.bottom - hull.top)
            placed.append(_moved(cluster, start - hull.left, aside - (hull.top + hull.bottom) / 2))
        start += length + GAP
        before = cut
    return placed


def _moved(cluster: Cluster, x: float, y: float) -> Cluster:
    """The cluster so much further to the right and down."""
    things = tuple(replace(thing, boxes=tuple(_shifted(box, x, y) for box in thing.boxes)) for thing in cluster.things)
    return replace(cluster, things=things)


def _shifted(box: Box, x: float, y: float) -> Box:
    return Box(box.left + x, box.top + y, box.right + x, box.bottom + y)


def _within(middle: float, length: float) -> float:
    """The nearest middle at which so long a thing is inside the picture."""
    return min(max(middle, MARGIN + length / 2), 1 - MARGIN - length / 2)


def _place(box: Box, by: float) -> tuple[Place, Place]:
    """The cells of the middle when it is moved along either diagonal."""
    return place_of(_shifted(box, by, by)), place_of(_shifted(box, -by, by))
