"""What is to be said of a picture, completely, and where in the picture each word is.

A caption names every thing of the scene with all that can be seen of it: number, age, size (unless medium), colour.
Then few sentences are left: of one group where it stands, of a figure what it does, of two clusters how they stand to
each other, of three which is between the others. :func:`statements` lists them all, so a caption can be held against
the truth (:func:`is_right`) and not only against some references.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations

from saccade.scenes.pairs import realise
from saccade.scenes.plan import (
    Determiner,
    Does,
    Exists,
    IsWhere,
    Mention,
    Says,
    Statement,
    Which,
    With,
)
from saccade.scenes.words import Sentence
from saccade.scenes.world import Bond, Box, Relation, Scene, holds, place_of

SIDES: tuple[Relation, ...] = ("left of", "right of", "above", "below", "on")
SHOWN = frozenset(
    ("kind", "colour", "size", "age", "count", "where", "deed", "with", "height", "side", "corner", "middle")
)
"""The aspects that point into the picture; articles, copulas and the like do not."""


@dataclass(frozen=True, slots=True)
class Caption:
    """The words of a caption; for each the places in ``Scene.things`` of what it speaks of, and their boxes.

    A noun, an adjective, a number and a place speak of one thing, the words of a relation or deed of all that take
    part, function words of none.
    """

    words: tuple[str, ...]
    things: tuple[tuple[int, ...], ...]
    regions: tuple[tuple[Box, ...], ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)


def caption(scene: Scene, statement: Statement, language: str = "en") -> Caption:
    """Say the statement about the scene, with the region of each word."""
    sentence = realise(statement, language)
    things = tuple(_shown(sentence))
    regions = tuple(tuple(box for thing in shown for box in scene.things[thing].boxes) for shown in things)
    return Caption(tuple(word.text for word in sentence.words), things, regions)


def is_right(scene: Scene, text: str, language: str = "en") -> bool:
    """Whether the caption is exactly right: one of those that the grammar says of this scene.

    Capitals do not count, as in every score of captions: captioners write lower case unless they are told otherwise.
    """
    return " ".join(text.lower().split()) in _texts(scene, language)


@lru_cache(maxsize=1 << 12)
def _texts(scene: Scene, language: str) -> frozenset[str]:
    return frozenset(realise(statement, language).text.lower() for statement in statements(scene))


def statements(scene: Scene) -> tuple[Statement, ...]:
    """All that a caption may say of the scene, the most natural first."""
    owned = scene.owned()
    standing = [thing for thing in range(len(scene.things)) if thing not in owned]
    if len(standing) == 1 and scene.bonds:
        return _deeds(scene, standing[0])
    if len(standing) == 1:
        return _places(scene, standing)
    return _between(scene, standing) or _relations(scene, standing) or _places(scene, standing)


def _shown(sentence: Sentence) -> list[tuple[int, ...]]:
    shown = []
    for word in sentence.words:
        things = [thing for concept in word.concepts if concept.aspect in SHOWN for thing in concept.things]
        shown.append(tuple(dict.fromkeys(things)))
    return shown


def _mention(scene: Scene, number: int, tail: With | Which | None = None, *, taken: bool = False) -> Mention:
    """All that can be seen of the thing. Of what several figures have, each its own, the number goes without saying."""
    thing = scene.things[number]
    determiner: Determiner = "a" if thing.count == 1 else "bare" if taken else "count"
    size = None if thing.size == "medium" else thing.size
    return Mention(thing.kind, determiner, thing.count, thing.colour, size, thing.age, number, tail)


def _tail(scene: Scene, bonds: list[Bond]) -> With | Which | None:
    """With a hat, who rides a horse: the first of the bonds."""
    if not bonds:
        return None
    bond = bonds[0]
    what = _mention(scene, bond.what, taken=True)
    return Which(Does(bond.deed, what)) if bond.deed == "ride" else With(what)


def _taken(scene: Scene, who: int) -> list[Bond]:
    return [bond for bond in scene.bonds if bond.who == who and bond.deed != "look at"]


def _named(scene: Scene, number: int) -> Mention:
    return _mention(scene, number, _tail(scene, _taken(scene, number)))


def _deeds(scene: Scene, who: int) -> tuple[Statement, ...]:
    """A girl with a red hat holds a ball; there is a girl with a ball. What is worn goes before what is done."""
    bonds = sorted(_taken(scene, who), key=lambda bond: bond.deed != "wear")
    does = Does(bonds[-1].deed, _mention(scene, bonds[-1].what, taken=True))
    says = Says(_mention(scene, who, _tail(scene, bonds[:-1])), does)
    if len(bonds) > 1:
        return (says,)
    return says, Exists((_mention(scene, who, _tail(scene, bonds)),))


def _places(scene: Scene, standing: list[int]) -> tuple[Statement, ...]:
    """There is a star in the top left corner; in the top left corner there is a star."""
    found: list[Statement] = []
    for number in standing:
        mention = _named(scene, number)
        spot = place_of(scene.things[number].hull)
        if mention.tail is None:  # behind a tail a place would seem to belong to the tail
            found.append(Exists((mention,), spot, "end"))
        found.append(Exists((mention,), spot, "start"))
    return tuple(found)


def _relations(scene: Scene, standing: list[int]) -> tuple[Statement, ...]:
    """The star is left of the car; the car is right of the star."""
    return tuple(
        Says(_named(scene, one), IsWhere(relation, (_named(scene, other),)))
        for one, other in permutations(standing, 2)
        for relation in SIDES
        if holds(relation, scene.things[one].hull, scene.things[other].hull)
    )


def _between(scene: Scene, standing: list[int]) -> tuple[Statement, ...]:
    """The star is between the car and the dog, or the dog and the car."""
    hulls = {number: scene.things[number].hull for number in standing}
    return tuple(
        Says(_named(scene, number), IsWhere("between", tuple(_named(scene, landmark) for landmark in landmarks)))
        for number in standing
        for pair in combinations([other for other in standing if other != number], 2)
        if holds("between", hulls[number], *(hulls[landmark] for landmark in pair))
        for landmarks in permutations(pair)
    )
