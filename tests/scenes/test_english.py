"""English noun phrases: every noun in both numbers, a and an."""

import pytest

from saccade.scenes import realise
from saccade.scenes.kinds import KINDS
from saccade.scenes.plan import Mention, Shows

NOUNS = """
a circle, two circles; a square, two squares; a triangle, two triangles; a star, two stars; a heart, two hearts;
a cross, two crosses; an arrow, two arrows; a ring, two rings; a diamond, two diamonds; a house, two houses;
a car, two cars; a table, two tables; a chair, two chairs; a bench, two benches; a boat, two boats; a lamp, two lamps;
a flower, two flowers; a box, two boxes; a tree, two trees; a cloud, two clouds; a dog, two dogs; a cat, two cats;
a bird, two birds; a horse, two horses; a rabbit, two rabbits; a cow, two cows; a donkey, two donkeys; a man, two men;
a woman, two women;
a boy, two boys;
a girl, two girls;
a ball, two balls;
an umbrella, two umbrellas;
a kite, two kites;
a balloon, two balloons; a book, two books; a flag, two flags; a bag, two bags; a basket, two baskets; a hat, two hats;
a scarf, two scarves; a coat, two coats; a jacket, two jackets; a shirt, two shirts; a cap, two caps;
a bicycle, two bicycles; a scooter, two scooters
"""
EXPECTED = dict(zip(KINDS, (entry.strip() for entry in NOUNS.split(";")), strict=True))


def noun_phrase(mention: Mention) -> str:
    return realise(Shows("see", (mention,)), "en").text.removeprefix("I see ")


@pytest.mark.parametrize("kind", KINDS)
def test_noun_in_both_numbers(kind: str) -> None:
    assert f"{noun_phrase(Mention(kind, 'a'))}, {noun_phrase(Mention(kind, 'count', 2))}" == EXPECTED[kind]


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention("man", "a", age="old"), "an old man"),
        (Mention("umbrella", "a", colour="red"), "a red umbrella"),
        (Mention("star", "the count", 5, size="big", colour="grey"), "the five big grey stars"),
        (Mention("star", "the", 5), "the stars"),
        (Mention("boat", "bare", 3, colour="pink"), "pink boats"),
        (Mention("boat", "no", colour="pink"), "no pink boat"),
    ],
)
def test_determiners(mention: Mention, expected: str) -> None:
    assert noun_phrase(mention) == expected
