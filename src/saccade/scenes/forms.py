"""The sentences of a story: each step of a plot can be said in a few forms, and each place of a form is one word.

A form is written as its words. One with a dot is said by a role: ``animal.noun`` is "dog" or "cats", whatever the
animal's value is. All the forms of a step are equally likely.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from saccade.scenes.cast import HEROES, Hero, Role

ENTERS = {
    "figure": "a figure.noun in a garment.colour garment.noun",
    "animal": "animal.number animal.colour animal.noun",
    "object": "a object.size object.colour object.noun",
}
KNOWN = {
    "figure": ("the figure.noun in the garment.colour garment.noun", "the figure.noun in the garment.noun"),
    "animal": ("the animal.colour animal.noun", "the animal.noun"),
    "object": ("the object.colour object.noun", "the object.size object.noun"),
}
IS = {"figure": "is", "animal": "animal.is", "object": "is"}
SHAPES = "shape.number shape.colour shape.noun"
ITEM = "a item.colour item.noun"


@dataclass(frozen=True)
class Place:
    """One place of a form: ``words[v]`` stands there when the role's value is ``v``; without a role, one word."""

    role: str | None
    words: tuple[str, ...]

    @cached_property
    def masks(self) -> Mapping[str, int]:
        """For each word that can stand here the values that say it: bit v is set for value v."""
        masks: dict[str, int] = {}
        for value, word in enumerate(self.words):
            masks[word] = masks.get(word, 0) | 1 << value
        return masks


Form = tuple[Place, ...]


def read_forms(written: Mapping[str, Sequence[str]], cast: Sequence[Role]) -> dict[str, tuple[Form, ...]]:
    """The forms of each step, from how they are written."""
    places = {
        f"{role.name}.{aspect}": Place(role.name, tuple(words)) for role in cast for aspect, words in role.says.items()
    }
    return {
        step: tuple(tuple(places.get(word) or Place(None, (word,)) for word in form.split()) for form in forms)
        for step, forms in written.items()
    }


def write_steps() -> dict[str, tuple[str, ...]]:
    """Every step with its forms, as they are written."""
    steps: dict[str, tuple[str, ...]] = {}
    for hero in HEROES:
        steps[f"open {hero}"] = _opens(hero)
        steps[f"place {hero}"] = tuple(
            f"{known} {IS[hero]} order.on-{hero} the order.side-{hero}{end}"
            for known in KNOWN[hero]
            for end in ("", " of the picture")
        )
    for one, other in permutations(HEROES, 2):
        steps[f"{one} to {other}"] = _leads(one, other)
        steps[f"{one} by {other}"] = tuple(
            f"{known} {IS[one]} order.{one}-{other} of {landmark}" for known in KNOWN[one] for landmark in KNOWN[other]
        )
    steps["toy"] = (
        *(f"{figure} holds a toy.size toy.colour toy.noun" for figure in KNOWN["figure"]),
        *(f"{figure} holds figure.hers toy.size toy.colour toy.noun" for figure in KNOWN["figure"]),
        "the figure.noun wears the garment.colour garment.noun and figure.she holds a toy.size toy.colour toy.noun",
    )
    steps["shape"] = (
        *(f"height.shape {animal} there shape.is {SHAPES}" for animal in KNOWN["animal"]),
        *(f"{animal} animal.is height.animal {SHAPES}" for animal in KNOWN["animal"]),
        f"the animal.noun animal.is animal.colour and animal.it animal.is height.animal {SHAPES}",
    )
    steps["item"] = (
        *(f"next to {thing} there is {ITEM}" for thing in KNOWN["object"]),
        *(f"{thing} is next to {ITEM}" for thing in KNOWN["object"]),
        f"the object.noun is object.size and it is next to {ITEM}",
    )
    for hero in ("animal", "object"):
        steps[f"toy by {hero}"] = tuple(
            f"the figure.noun with the toy.colour toy.noun is order.figure-{hero} of {known}" for known in KNOWN[hero]
        )
        steps[f"figure looks at {hero}"] = tuple(
            f"{figure} looks at {known}"
            for figure in (KNOWN["figure"][0], "the figure.noun", "figure.she")
            for known in KNOWN[hero]
        )
    steps["animal looks at figure"] = tuple(
        f"{animal} animal.looks at {figure}"
        for animal in KNOWN["animal"]
        for figure in ("the figure.noun", "figure.her")
    )
    steps["shape again"] = tuple(
        f"the shape.colour shape.noun shape.is height.shape {animal}" for animal in KNOWN["animal"]
    )
    steps["item again"] = tuple(
        f"the figure.noun looks at the item.colour item.noun next to {thing}" for thing in KNOWN["object"]
    )
    steps["all"] = (
        "the picture shows a figure.noun and animal.number animal.noun and a object.noun",
        "so there is a figure.noun with animal.number animal.noun and a object.noun",
    )
    return steps


def _opens(hero: Hero) -> tuple[str, ...]:
    enters, be = ENTERS[hero], IS[hero]
    return (
        f"the picture shows {enters}",
        f"there {be} {enters} in the picture",
        f"order.on-{hero} the order.side-{hero} there {be} {enters}",
    )


def _leads(one: Hero, other: Hero) -> tuple[str, ...]:
    """From a hero who is known to one who is not."""
    enters = ENTERS[other]
    forms = [f"order.{other}-{one} of {known} there {IS[other]} {enters}" for known in KNOWN[one]]
    forms += [f"{known} {IS[one]} order.{one}-{other} of {enters}" for known in KNOWN[one]]
    if one == "figure":
        forms += [f"{known} looks at {enters}" for known in KNOWN[one]]
    elif other == "figure":
        forms += [f"{enters} looks at {known}" for known in KNOWN[one]]
    return tuple(forms)
