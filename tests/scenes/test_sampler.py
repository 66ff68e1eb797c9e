"""Every scene drawn is a possible one."""

from random import Random

import pytest

from saccade.scenes.kinds import KINDS, TAKEN_BY
from saccade.scenes.sampler import SIDES, sample_scene
from saccade.scenes.world import Scene, holds


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    rng = Random(5)
    return [sample_scene(rng) for _ in range(3000)]


def test_every_box_is_on_the_canvas_and_has_an_area(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            for box in thing.boxes:
                assert 0 <= box.left < box.right <= 1
                assert 0 <= box.top < box.bottom <= 1


def test_things_are_what_their_kind_can_be(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            kind = KINDS[thing.kind]
            assert thing.colour in kind.colours or (thing.colour is None and not kind.colours)
            assert thing.age in kind.ages or (thing.age is None and not kind.ages)


def test_no_kind_twice_in_a_scene(scenes: list[Scene]) -> None:
    for scene in scenes:
        kinds = [thing.kind for thing in scene.things]
        assert len(kinds) == len(set(kinds))


def test_a_size_is_the_same_length_everywhere(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            if thing.size is not None:
                for box in thing.boxes:
                    assert box.right - box.left == pytest.approx(SIDES[thing.size])
                    assert box.bottom - box.top == pytest.approx(SIDES[thing.size])


def test_a_group_does_not_overlap_itself(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            for at, one in enumerate(thing.boxes):
                for other in thing.boxes[at + 1 :]:
                    apart = one.right <= other.left or other.right <= one.left
                    assert apart or one.bottom <= other.top or other.bottom <= one.top


def test_figures_take_what_can_be_taken_one_each(scenes: list[Scene]) -> None:
    deeds = set()
    for scene in scenes:
        for bond in scene.bonds:
            deeds.add(bond.deed)
            who, what = scene.things[bond.who], scene.things[bond.what]
            assert KINDS[who.kind].family == "person"
            if bond.deed == "look at":
                assert bond.who != bond.what
            else:
                assert what.kind in TAKEN_BY[bond.deed]
                assert what.count == who.count
                for body, taken in zip(who.boxes, what.boxes, strict=True):
                    assert taken.left <= body.right
                    assert body.left <= taken.right
    assert deeds == {"hold", "wear", "ride", "look at"}


def test_neighbouring_cells_stand_in_a_relation(scenes: list[Scene]) -> None:
    """A scene of three clusters in a row has something in between, and often enough."""
    rows = 0
    for scene in scenes:
        hulls = [scene.things[thing].hull for thing in range(len(scene.things)) if thing not in scene.owned()]
        rows += any(holds("between", one, other, third) for one in hulls for other in hulls for third in hulls)
    assert rows > 300


def test_same_seed_same_scenes(scenes: list[Scene]) -> None:
    rng = Random(5)
    assert [sample_scene(rng) for _ in range(100)] == scenes[:100]
