"""Captions say everything, and each word knows where it is seen."""

from random import Random

import pytest

from saccade.errors import DataError
from saccade.scenes import LANGUAGES, Bond, Box, Scene, Thing, caption, is_right, statements
from saccade.scenes.closeups import sample_closeup
from saccade.scenes.sampler import sample_scene

STAR = Thing("star", (Box(0.1, 0.4, 0.3, 0.6),), "red", "small")
CARS = Thing("car", (Box(0.5, 0.3, 0.7, 0.5), Box(0.75, 0.3, 0.95, 0.5)), "blue", "medium")
GIRL = Thing("girl", (Box(0.2, 0.2, 0.4, 0.8),))
HAT = Thing("hat", (Box(0.2, 0.2, 0.4, 0.3),), "green")
BALL = Thing("ball", (Box(0.4, 0.5, 0.6, 0.7),), "pink")
HORSE = Thing("horse", (Box(0.2, 0.5, 0.5, 0.9),), "brown")


def said(scene: Scene, language: str = "en") -> list[str]:
    return [caption(scene, statement, language).text for statement in statements(scene)]


def test_two_things_are_told_from_both_sides() -> None:
    assert said(Scene((STAR, CARS))) == [
        "a small red star is left of two blue cars",
        "two blue cars are right of a small red star",
    ]


def test_one_thing_has_a_place() -> None:
    assert said(Scene((STAR,))) == ["there is a small red star on the left", "on the left there is a small red star"]


@pytest.mark.parametrize(
    ("things", "bonds", "texts"),
    [
        ((GIRL, BALL), (Bond(0, "hold", 1),), ["a girl holds a pink ball", "there is a girl with a pink ball"]),
        (
            (GIRL, HORSE),
            (Bond(0, "ride", 1),),
            ["a girl rides a brown horse", "there is a girl who rides a brown horse"],
        ),
        (
            (GIRL, BALL, HAT),
            (Bond(0, "hold", 1), Bond(0, "wear", 2)),
            ["a girl with a green hat holds a pink ball"],
        ),
        (
            (GIRL, HAT, Thing("tree", (Box(0.6, 0.2, 0.9, 0.6),), "green", "big")),
            (Bond(0, "wear", 1),),
            [
                "a girl with a green hat is left of a big green tree",
                "a big green tree is right of a girl with a green hat",
            ],
        ),
    ],
)
def test_people(things: tuple[Thing, ...], bonds: tuple[Bond, ...], texts: list[str]) -> None:
    assert said(Scene(things, bonds)) == texts


def test_three_in_a_row() -> None:
    ring = Thing("ring", (Box(0.4, 0.4, 0.6, 0.6),), "white", "medium")
    tree = Thing("tree", (Box(0.8, 0.4, 0.95, 0.6),), "green", "medium")
    assert said(Scene((STAR, tree, ring))) == [
        "a white ring is between a small red star and a green tree",
        "a white ring is between a green tree and a small red star",
    ]


def test_the_regions_of_words() -> None:
    found = caption(Scene((STAR, CARS)), statements(Scene((STAR, CARS)))[0])
    star, cars = STAR.boxes, CARS.boxes
    assert dict(zip(found.words, found.regions, strict=True)) == {
        "a": (),
        "small": star,
        "red": star,
        "star": star,
        "is": (),
        "left": star + cars,
        "of": (),
        "two": cars,
        "blue": cars,
        "cars": cars,
    }
    assert found.things == ((), (0,), (0,), (0,), (), (0, 1), (), (1,), (1,), (1,))


def test_deeds_and_places_point_too() -> None:
    scene = Scene((GIRL, BALL), (Bond(0, "hold", 1),))
    holds, exists = (caption(scene, statement) for statement in statements(scene))
    assert holds.regions[2] == GIRL.boxes + BALL.boxes  # holds
    assert exists.words[4] == "with"
    assert exists.regions[:5] == ((), (), (), GIRL.boxes, GIRL.boxes + BALL.boxes)
    placed = caption(Scene((STAR,)), statements(Scene((STAR,)))[0])
    assert [bool(region) for region in placed.regions] == [False, False, False, True, True, True, False, False, True]


def test_regions_in_every_language() -> None:
    """A noun's words point at the same boxes, whatever the order of words."""
    scene = Scene((STAR, CARS))
    for language, star in {"en": "star", "fr": "étoile", "de": "Stern", "es": "estrella"}.items():
        found = caption(scene, statements(scene)[0], language)
        assert found.regions[found.words.index(star)] == STAR.boxes


def test_exactly_right() -> None:
    scene = Scene((STAR, CARS))
    assert all(is_right(scene, text) for text in said(scene))
    assert is_right(scene, " a small red star  is left of two blue cars\n")
    for wrong in (
        "a red star is left of two blue cars",  # the size is to be said
        "a small red star is right of two blue cars",
        "a small red star is left of three blue cars",
        "a small blue star is left of two red cars",
        "a small red star left of two blue cars",
        "",
    ):
        assert not is_right(scene, wrong)
    assert is_right(scene, said(scene, "de")[1], "de")
    assert not is_right(scene, said(scene, "de")[1], "fr")


def test_capitals_do_not_count() -> None:
    scene = Scene((STAR, CARS))
    german = said(scene, "de")[0]
    assert german != german.lower()
    assert is_right(scene, german.lower(), "de"), "captioners write lower case"
    assert is_right(scene, said(scene)[0].capitalize())


def test_no_two_scenes_that_look_different_share_a_caption() -> None:
    """A caption that is right for a scene tells all that captions tell of it."""
    told: dict[str, frozenset[str]] = {}
    rng = Random(3)
    for _ in range(3000):
        scene = sample_closeup(rng)
        texts = frozenset(said(scene))
        for text in texts:
            assert told.setdefault(text, texts) == texts


def test_something_is_said_of_every_scene_in_every_language() -> None:
    rng = Random(4)
    for _ in range(300):
        for scene in (sample_closeup(rng), sample_scene(rng)):
            for language in LANGUAGES:
                texts = said(scene, language)
                assert texts
                assert len(texts) == len(set(texts))


def test_unknown_language() -> None:
    with pytest.raises(DataError, match="unknown language 'it'; known are en, fr, de, es"):
        is_right(Scene((STAR,)), "una stella", "it")
