"""The cast of a story: what is hidden in its scene, and the words that say it.

Every story has the same nine roles: a figure in a garment with a toy, some animals with shapes above or below them, an
object with an item next to it, the order in which the three stand from left to right, and the height of the shapes. No
kind can play two roles, so a noun tells its role. A role is one draw from its values, all equally likely, and the roles
are drawn independently of each other: that is what makes :mod:`saccade.scenes.predictable` exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

from saccade.scenes.english import NUMBERS, PLURALS
from saccade.scenes.kinds import COLOURS, KINDS, PEOPLE, SHAPES

Hero = str
"""One of the three who stand in the picture by themselves: figure, animal, object."""
HEROES: tuple[Hero, ...] = ("figure", "animal", "object")
GARMENTS = tuple(kind.name for kind in KINDS.values() if kind.family == "clothes")
ANIMALS = tuple(kind.name for kind in KINDS.values() if kind.family == "animal")
TOYS = ("ball", "umbrella", "kite", "balloon", "flag")
OBJECTS = ("house", "car", "table", "chair", "bench", "boat", "box")
ITEMS = ("lamp", "flower", "basket", "bag", "book")
SIZES = ("small", "big")


@dataclass(frozen=True)
class Role:
    """Something hidden that a story speaks of.

    ``says[aspect][v]`` is the word that says this aspect of the role when its value is ``v``: with four values,
    ``("dog", "dogs", "cat", "cats")`` for the noun and ``("is", "are", "is", "are")`` for the verb that agrees.
    """

    name: str
    says: Mapping[str, Sequence[str]]

    @cached_property
    def size(self) -> int:
        """How many values there are."""
        return len(next(iter(self.says.values())))


def things(
    name: str, kinds: Sequence[str], colours: Sequence[str], sizes: Sequence[str] = ("",), counts: Sequence[int] = (1,)
) -> Role:
    """A role played by one thing or by several like ones. A count that is written twice is twice as likely."""
    values = list(product(kinds, colours, sizes, counts))
    return Role(
        name,
        {
            "noun": [kind if count == 1 else PLURALS.get(kind, kind + "s") for kind, _, _, count in values],
            "colour": [colour for _, colour, _, _ in values],
            "size": [size for _, _, size, _ in values],
            "number": ["a" if count == 1 else NUMBERS[count] for *_, count in values],
            "is": ["is" if count == 1 else "are" for *_, count in values],
            "looks": ["looks" if count == 1 else "look" for *_, count in values],
            "it": ["it" if count == 1 else "they" for *_, count in values],
        },
    )


def people(name: str, kinds: Sequence[str]) -> Role:
    """A role played by one man, woman, boy or girl, with the pronouns that agree."""
    female = [kind in ("woman", "girl") for kind in kinds]
    return Role(
        name,
        {
            "noun": kinds,
            "she": ["she" if she else "he" for she in female],
            "her": ["her" if she else "him" for she in female],
            "hers": ["her" if she else "his" for she in female],
        },
    )


def order(name: str, heroes: Sequence[Hero]) -> Role:
    """Who stands where, from left to right.

    ``a-b`` is the side of b on which a stands; ``on-a`` and ``side-a`` are the preposition and noun of a's place.
    """
    rows = list(permutations(heroes))
    says: dict[str, Sequence[str]] = {}
    for one, other in permutations(heroes, 2):
        says[f"{one}-{other}"] = ["left" if row.index(one) < row.index(other) else "right" for row in rows]
    for hero in heroes:
        places = [row.index(hero) for row in rows]
        says[f"on-{hero}"] = ["in" if place == 1 else "on" for place in places]
        says[f"side-{hero}"] = [("left", "middle", "right")[place] for place in places]
    return Role(name, says)


CAST: tuple[Role, ...] = (
    people("figure", PEOPLE),
    things("garment", GARMENTS, COLOURS),
    things("toy", TOYS, COLOURS, SIZES),
    things("animal", ANIMALS, KINDS["dog"].colours, counts=(1, 1, 2, 3)),
    things("shape", SHAPES, COLOURS, counts=(1, 2, 3, 4)),
    things("object", OBJECTS, COLOURS, SIZES),
    things("item", ITEMS, COLOURS),
    order("order", HEROES),
    Role("height", {"shape": ("above", "below"), "animal": ("below", "above")}),
)
