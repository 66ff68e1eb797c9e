"""Roles: one word for every value of every aspect, and words that agree."""

from itertools import permutations

from saccade.scenes.cast import CAST, HEROES, order, people, things

BY_NAME = {role.name: role for role in CAST}


def test_every_aspect_has_a_word_for_every_value() -> None:
    for role in CAST:
        assert {len(words) for words in role.says.values()} == {role.size}


def test_things_agree_in_number() -> None:
    role = things("animal", ("dog",), ("black",), counts=(1, 2))
    assert role.size == 2
    assert {aspect: list(words) for aspect, words in role.says.items() if aspect != "size"} == {
        "noun": ["dog", "dogs"],
        "colour": ["black", "black"],
        "number": ["a", "two"],
        "is": ["is", "are"],
        "looks": ["looks", "look"],
        "it": ["it", "they"],
    }
    assert list(things("shape", ("cross",), ("red",), counts=(3,)).says["noun"]) == ["crosses"]


def test_pronouns_agree_in_gender() -> None:
    says = people("figure", ("man", "girl")).says
    assert [list(says[aspect]) for aspect in ("she", "her", "hers")] == [["he", "she"], ["him", "her"], ["his", "her"]]


def test_sides_and_places_say_the_same_order() -> None:
    says = order("order", HEROES).says
    for one, other in permutations(HEROES, 2):
        for side, back, place in zip(says[f"{one}-{other}"], says[f"{other}-{one}"], says[f"side-{one}"], strict=True):
            assert {side, back} == {"left", "right"}
            assert place in (side, "middle")
    for prepositions, sides in ((says[f"on-{hero}"], says[f"side-{hero}"]) for hero in HEROES):
        assert {*zip(prepositions, sides, strict=True)} == {("on", "left"), ("in", "middle"), ("on", "right")}


def test_a_noun_tells_its_role() -> None:
    nouns = [noun for role in CAST for noun in set(role.says.get("noun", ()))]
    assert len(nouns) == len(set(nouns))


def test_shapes_are_above_what_is_below_them() -> None:
    height = BY_NAME["height"].says
    assert all({shape, animal} == {"above", "below"} for shape, animal in zip(*height.values(), strict=True))
