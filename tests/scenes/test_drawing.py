"""Pictures show what the scene says, where it says it."""

from itertools import combinations
from random import Random

import numpy as np
import numpy.typing as npt
import pytest

from saccade.errors import DataError
from saccade.scenes import Bond, Box, Picture, Scene, Thing, contact_sheet, draw
from saccade.scenes.closeups import sample_closeup
from saccade.scenes.kinds import COLOURS, KINDS, SHAPES
from saccade.scenes.palette import PAINTS
from saccade.scenes.sampler import sample_scene

MIDDLE = Box(0.1, 0.1, 0.9, 0.9)
UPRIGHT = Box(0.3, 0.05, 0.66, 0.95)


def alone(kind: str, colour: str | None = None, age: str | None = None) -> Scene:
    return Scene((Thing(kind, (UPRIGHT if KINDS[kind].family == "person" else MIDDLE,), colour, age=age),))


def distance(one: Picture, other: Picture) -> float:
    """The mean difference of a channel inside the two drawings."""
    seen = one.mask(0) | other.mask(0)
    return float(np.abs(one.pixels_HWC[seen].astype(int) - other.pixels_HWC[seen]).mean())


def inside(boxes: tuple[Box, ...], size: int) -> npt.NDArray[np.bool_]:
    """The pixels that a box covers, be it in part."""
    at = np.arange(size)
    covered = np.zeros((size, size), dtype=bool)
    for box in boxes:
        columns = (at + 1 > box.left * size) & (at < box.right * size)
        rows = (at + 1 > box.top * size) & (at < box.bottom * size)
        covered |= rows[:, None] & columns[None, :]
    return covered


@pytest.mark.parametrize("size", [64, 96])
def test_every_pixel_of_a_thing_is_in_its_boxes(size: int) -> None:
    rng = Random(1)
    scenes = [sample_closeup(rng) for _ in range(60)] + [sample_scene(rng) for _ in range(30)]
    for seed, scene in enumerate(scenes):
        picture = draw(scene, size, seed)
        for number, thing in enumerate(scene.things):
            assert not (picture.mask(number) & ~inside(thing.boxes, size)).any(), thing


def test_pixels_outside_all_boxes_are_ground() -> None:
    """Nothing is painted that has no owner: the colours there are those of the ground, with soft light on it."""
    rng = Random(2)
    for seed in range(30):
        scene = sample_closeup(rng)
        picture = draw(scene, 64, seed)
        boxes = tuple(box for thing in scene.things for box in thing.boxes)
        ground = picture.pixels_HWC[~inside(boxes, 64)].astype(int)
        assert (ground.max(axis=0) - ground.min(axis=0)).max() <= 22
        assert ground.min() > 190


def test_what_stands_free_is_well_seen() -> None:
    rng = Random(3)
    for seed in range(100):
        scene = sample_closeup(rng)
        picture = draw(scene, 64, seed)
        for number, thing in enumerate(scene.things):
            if thing.size is not None:
                assert picture.mask(number).sum() > 0.2 * inside(thing.boxes, 64).sum(), thing


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_has_its_colour(kind: str) -> None:
    """Of all paints its own is the nearest to the middle colour of its pixels, whatever the seed."""
    for seed, colour in enumerate(COLOURS):
        picture = draw(alone(kind, colour), 64, seed)
        seen = np.median(picture.pixels_HWC[picture.mask(0)], axis=0)
        assert min(PAINTS, key=lambda paint: float(np.abs(seen - PAINTS[paint].rgb).sum())) == colour


@pytest.mark.parametrize(
    "names",
    [
        [name for name, kind in KINDS.items() if "brown" in kind.colours],
        [name for name, kind in KINDS.items() if not kind.colours],
    ],
    ids=["things", "people"],
)
def test_kinds_look_different_where_their_colours_do_not(names: list[str]) -> None:
    colour = "brown" if KINDS[names[0]].colours else None
    pictures = {name: draw(alone(name, colour), 64, 5) for name in names}
    for one, other in combinations(names, 2):
        assert distance(pictures[one], pictures[other]) > 9, (one, other)


def test_old_people_have_light_hair() -> None:
    for kind in ("man", "woman"):
        old, young = (draw(alone(kind, age=age), 96, 4).pixels_HWC for age in ("old", "young"))
        top = slice(6, 14), slice(40, 52)
        assert old[top].mean() > 1.15 * young[top].mean()


def test_age_is_seen_under_a_hat() -> None:
    hat = Thing("hat", (Box(0.3, 0.05, 0.66, 0.22),), "red")
    for kind in ("man", "woman"):
        people = (Thing(kind, (UPRIGHT,), age=age) for age in ("old", "young"))
        old, young = (draw(Scene((person, hat), (Bond(0, "wear", 1),)), 64, 4) for person in people)
        seen = old.mask(0) & (np.abs(old.pixels_HWC.astype(int) - young.pixels_HWC).max(axis=2) > 40)
        assert seen.sum() > 20


def test_who_holds_something_reaches_for_it() -> None:
    body, ball = Thing("man", (UPRIGHT,)), Thing("ball", (Box(0.66, 0.4, 0.9, 0.6),), "red")
    holding = draw(Scene((body, ball), (Bond(0, "hold", 1),)), 96).mask(0)
    idle = draw(Scene((body, ball)), 96).mask(0)
    assert (holding & ~idle).any()


def test_a_hat_is_over_the_hair() -> None:
    body, hat = Thing("girl", (UPRIGHT,)), Thing("hat", (Box(0.3, 0.05, 0.66, 0.22),), "red")
    for things, bond in (((body, hat), Bond(0, "wear", 1)), ((hat, body), Bond(1, "wear", 0))):
        picture = draw(Scene(things, (bond,)), 96)
        assert picture.owner_HW[14, 46] == bond.what + 1


def test_seeds_repeat_and_differ() -> None:
    scene = sample_closeup(Random(0))
    one, same, other = draw(scene, 64, 7), draw(scene, 64, 7), draw(scene, 64, 8)
    assert (one.pixels_HWC == same.pixels_HWC).all()
    assert (one.owner_HW == same.owner_HW).all()
    assert (one.pixels_HWC != other.pixels_HWC).any()


@pytest.mark.parametrize("size", [16, 64, 200])
def test_the_size_that_is_asked_for(size: int) -> None:
    picture = draw(alone("star", "red"), size)
    assert picture.pixels_HWC.shape == (size, size, 3)
    assert picture.pixels_HWC.dtype == np.uint8
    assert picture.owner_HW.shape == (size, size)
    assert picture.image().size == (size, size)


def test_too_small() -> None:
    with pytest.raises(DataError, match="a picture of 8 pixels was asked for; it needs 16 or more"):
        draw(alone("star", "red"), 8)


def test_contact_sheet() -> None:
    pictures = [draw(alone("star", colour), 32) for colour in ("red", "blue", "green")]
    sheet = np.asarray(contact_sheet(pictures, columns=2, gap=4))
    assert sheet.shape == (76, 76, 3)
    assert (sheet[40:72, 4:36] == pictures[2].pixels_HWC).all()
    assert (sheet[40:72, 40:72] == 255).all()
