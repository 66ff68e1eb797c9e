"""The geometry of places and relations, on boxes drawn by hand."""

import pytest

from saccade.scenes.world import PLACES, Bond, Box, Place, Relation, Scene, Thing, holds, place_of

MIDDLE = Box(0.4, 0.4, 0.6, 0.6)
LEFT = Box(0.1, 0.45, 0.2, 0.65)
FAR_LEFT = Box(0.0, 0.4, 0.05, 0.6)
RIGHT = Box(0.7, 0.5, 0.9, 0.7)
ABOVE = Box(0.5, 0.1, 0.7, 0.3)
UPON = Box(0.45, 0.3, 0.55, 0.4)
CORNER = Box(0.0, 0.0, 0.1, 0.1)


@pytest.mark.parametrize(
    ("relation", "subject", "landmark", "true"),
    [
        ("left of", LEFT, MIDDLE, True),
        ("left of", MIDDLE, LEFT, False),
        ("left of", CORNER, MIDDLE, False),
        ("right of", RIGHT, MIDDLE, True),
        ("right of", MIDDLE, RIGHT, False),
        ("above", ABOVE, MIDDLE, True),
        ("above", UPON, MIDDLE, False),
        ("above", CORNER, MIDDLE, False),
        ("below", MIDDLE, ABOVE, True),
        ("below", ABOVE, MIDDLE, False),
        ("next to", LEFT, MIDDLE, True),
        ("next to", MIDDLE, LEFT, True),
        ("next to", FAR_LEFT, MIDDLE, False),
        ("next to", ABOVE, MIDDLE, False),
        ("on", UPON, MIDDLE, True),
        ("on", MIDDLE, UPON, False),
        ("on", ABOVE, MIDDLE, False),
    ],
)
def test_relation_of_two(relation: Relation, subject: Box, landmark: Box, true: bool) -> None:
    assert holds(relation, subject, landmark) is true


def test_between_in_either_order_of_the_landmarks() -> None:
    assert holds("between", MIDDLE, LEFT, RIGHT)
    assert holds("between", MIDDLE, RIGHT, LEFT)
    assert not holds("between", LEFT, MIDDLE, RIGHT)
    assert not holds("between", MIDDLE, LEFT, ABOVE)


@pytest.mark.parametrize("place", PLACES)
def test_place_of_the_nine_cells(place: Place) -> None:
    row, column = divmod(PLACES.index(place), 3)
    x, y = (column + 0.5) / 3, (row + 0.5) / 3
    assert place_of(Box(x - 0.05, y - 0.05, x + 0.05, y + 0.05)) == place


def test_names_of_the_cells_run_row_by_row() -> None:
    assert place_of(Box(0.0, 0.0, 0.1, 0.1)) == "top left"
    assert place_of(Box(0.9, 0.0, 1.0, 0.1)) == "top right"
    assert place_of(Box(0.0, 0.9, 0.1, 1.0)) == "bottom left"
    assert place_of(MIDDLE) == "middle"


def test_hull_and_count_of_a_group() -> None:
    group = Thing("star", (LEFT, RIGHT, ABOVE))
    assert group.count == 3
    assert group.hull == Box(0.1, 0.1, 0.9, 0.7)


def test_what_is_only_looked_at_is_not_owned() -> None:
    things = tuple(Thing(kind, (MIDDLE,)) for kind in ("man", "hat", "tree"))
    assert Scene(things, (Bond(0, "wear", 1), Bond(0, "look at", 2))).owned() == {1}
