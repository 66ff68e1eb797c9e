"""Close-ups: all inside the picture, large enough, and with nothing in doubt."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from saccade.scenes import Scene, draw
from saccade.scenes.captions import statements
from saccade.scenes.closeups import ABOUT, SIDES, About, sample_closeup
from saccade.scenes.kinds import KINDS
from saccade.scenes.plan import Exists, IsWhere, Says
from saccade.scenes.world import PLACES, place_of


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    rng = Random(5)
    return [sample_closeup(rng) for _ in range(1500)]


def test_every_box_is_in_the_picture(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            for box in thing.boxes:
                assert 0 <= box.left < box.right <= 1
                assert 0 <= box.top < box.bottom <= 1


def test_no_kind_twice_in_a_scene(scenes: list[Scene]) -> None:
    for scene in scenes:
        kinds = [thing.kind for thing in scene.things]
        assert len(kinds) == len(set(kinds))


def test_a_size_is_the_same_length_everywhere(scenes: list[Scene]) -> None:
    for scene in scenes:
        for thing in scene.things:
            if thing.size is not None:
                assert thing.boxes[0].right - thing.boxes[0].left == pytest.approx(SIDES[thing.size])


def test_what_is_hard_to_know_is_not_small(scenes: list[Scene]) -> None:
    small = {KINDS[thing.kind].family for scene in scenes for thing in scene.things if thing.size == "small"}
    assert small == {"shape", "object"}


def test_everything_the_world_has_comes_up(scenes: list[Scene]) -> None:
    things = [thing for scene in scenes for thing in scene.things]
    assert {thing.kind for thing in things} == set(KINDS)
    assert {thing.size for thing in things} == {"small", "medium", "big", None}
    assert {thing.count for thing in things} == {1, 2, 3, 4, 5, 6}
    assert {bond.deed for scene in scenes for bond in scene.bonds} == {"hold", "wear", "ride"}
    relations = Counter(
        said.predicate.relation
        for scene in scenes
        for said in statements(scene)
        if isinstance(said, Says) and isinstance(said.predicate, IsWhere)
    )
    assert relations.keys() == {"left of", "right of", "above", "below", "on", "between"}
    assert min(relations.values()) > 50


def test_a_thing_alone_stands_clearly_in_its_place(scenes: list[Scene]) -> None:
    places = Counter()
    for scene in scenes:
        if len(scene.things) == 1:
            hull = scene.things[0].hull
            middle = (hull.left + hull.right) / 2, (hull.top + hull.bottom) / 2
            assert all(abs(at - border) > 0.029 for at in middle for border in (1 / 3, 2 / 3))
            places[place_of(hull)] += 1
    assert places.keys() == set(PLACES)


def test_relations_hold_in_the_pixels(scenes: list[Scene]) -> None:
    checked = Counter()
    for seed, scene in enumerate(scenes[:300]):
        picture = draw(scene, 64, seed)
        for said in statements(scene):
            if not (isinstance(said, Says) and isinstance(said.predicate, IsWhere)):
                continue
            relation, landmarks = said.predicate.relation, said.predicate.landmarks
            rows, columns = np.nonzero(picture.mask(*said.subject.things))
            spots = [np.nonzero(picture.mask(*landmark.things)) for landmark in landmarks]
            (above, left), checked[relation] = spots[0], checked[relation] + 1
            if relation == "left of":
                assert columns.max() < left.min()
            elif relation == "right of":
                assert columns.min() > left.max()
            elif relation in ("above", "on"):
                assert rows.max() <= above.min()
            elif relation == "below":
                assert rows.min() > above.max()
            else:
                ends = sorted(float(spot[1].mean()) for spot in spots)
                assert ends[0] < columns.min() <= columns.max() < ends[1]
    assert min(checked[relation] for relation in ("left of", "right of", "above", "below", "on", "between")) > 5


@pytest.mark.parametrize("about", ABOUT)
def test_what_it_is_about(about: About) -> None:
    rng = Random(1)
    scenes = [sample_closeup(rng, about) for _ in range(200)]
    families = {KINDS[thing.kind].family for scene in scenes for thing in scene.things}
    if about == "shapes":
        assert families == {"shape"}
    elif about == "things":
        assert not families & {"shape", "person"}
    elif about == "people":
        assert all(scene.bonds for scene in scenes)
    else:
        assert len(families) == 7


def test_a_group_of_six_says_where_it_is() -> None:
    rng = Random(0)
    scene = next(scene for scene in iter(lambda: sample_closeup(rng), None) if scene.things[0].count == 6)
    assert isinstance(statements(scene)[0], Exists)
