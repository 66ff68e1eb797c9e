"""The stock of the world: which kinds of things there are and what they can be like."""

from dataclasses import dataclass
from typing import Literal

Family = Literal["shape", "object", "animal", "person", "toy", "clothes", "vehicle"]
Deed = Literal["hold", "wear", "ride", "look at"]

COLOURS = ("red", "blue", "green", "yellow", "black", "white", "grey", "brown", "pink", "purple")
SIZES = ("small", "medium", "big")
AGES = ("young", "old")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing, the colours it comes in, the ages it comes in and the largest group it stands in."""

    name: str
    family: Family
    colours: tuple[str, ...] = COLOURS
    ages: tuple[str, ...] = ()
    largest_group: int = 1


def _kinds(
    family: Family,
    names: str,
    *,
    colours: tuple[str, ...] = COLOURS,
    ages: tuple[str, ...] = (),
    largest_group: int,
) -> dict[str, Kind]:
    return {name: Kind(name, family, colours, ages, largest_group) for name in names.split()}


KINDS: dict[str, Kind] = {
    **_kinds("shape", "circle square triangle star heart cross arrow ring diamond", largest_group=6),
    **_kinds("object", "house car table chair bench boat lamp flower box", largest_group=4),
    **_kinds("object", "tree", colours=("green", "yellow", "red"), largest_group=4),
    **_kinds("object", "cloud", colours=("white", "grey", "black", "pink"), largest_group=4),
    **_kinds(
        "animal",
        "dog cat bird horse rabbit cow donkey",
        colours=("black", "white", "brown", "grey"),
        largest_group=4,
    ),
    **_kinds("person", "man woman", colours=(), ages=AGES, largest_group=3),
    **_kinds("person", "boy girl", colours=(), largest_group=3),
    **_kinds("toy", "ball umbrella kite balloon book flag bag basket", largest_group=4),
    **_kinds("clothes", "hat scarf coat jacket shirt cap", largest_group=3),
    **_kinds("vehicle", "bicycle scooter", largest_group=3),
}


def _of(*families: Family) -> tuple[str, ...]:
    return tuple(kind.name for kind in KINDS.values() if kind.family in families)


PEOPLE = _of("person")
SHAPES = _of("shape")
STANDING = _of("object", "animal", "toy", "vehicle")  # what can stand alone in the picture beside the shapes
ANIMATE = _of("person", "animal")
MOUNTS = ("horse", "donkey")
SURFACES = ("table", "chair", "bench", "box")
FITS_ON_A_SURFACE = ("cat", "bird", "book", "ball", "hat", "bag", "basket", "lamp", "flower")
TAKEN_BY: dict[Deed, tuple[str, ...]] = {
    "hold": (*_of("toy"), "flower"),
    "wear": _of("clothes"),
    "ride": (*_of("vehicle"), *MOUNTS),
}
