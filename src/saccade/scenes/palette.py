"""Colours: what "red" looks like, its shades, and the fixed colours of glass, wood or skin."""

from dataclasses import dataclass
from random import Random

from saccade.scenes.dice import pick


@dataclass(frozen=True, slots=True)
class Colour:
    """Red, green and blue, from 0 to 255."""

    red: int
    green: int
    blue: int

    @property
    def brightness(self) -> float:
        return 0.3 * self.red + 0.59 * self.green + 0.11 * self.blue

    @property
    def rgb(self) -> tuple[int, int, int]:
        return self.red, self.green, self.blue


BLACK, WHITE = Colour(0, 0, 0), Colour(255, 255, 255)
PAINTS = {
    "red": Colour(216, 46, 44),
    "blue": Colour(44, 96, 206),
    "green": Colour(56, 160, 70),
    "yellow": Colour(244, 208, 48),
    "black": Colour(44, 44, 50),
    "white": Colour(250, 250, 250),
    "grey": Colour(146, 149, 154),
    "brown": Colour(136, 86, 46),
    "pink": Colour(242, 140, 182),
    "purple": Colour(130, 68, 168),
}
FIXED = {
    "glass": Colour(176, 218, 240),
    "wood": Colour(150, 104, 62),
    "metal": Colour(116, 120, 128),
    "tyre": Colour(58, 58, 64),
    "hub": Colour(206, 208, 212),
    "cream": Colour(248, 242, 224),
    "stem": Colour(76, 140, 66),
    "beak": Colour(240, 160, 48),
    "flesh": Colour(240, 176, 178),
    "eye": Colour(30, 30, 34),
}
GROUNDS = (
    Colour(222, 234, 243),
    Colour(240, 234, 218),
    Colour(226, 239, 225),
    Colour(237, 230, 241),
    Colour(232, 232, 229),
)
SKINS = (Colour(250, 216, 186), Colour(232, 184, 142), Colour(190, 136, 94), Colour(134, 92, 64))
HAIRS = (Colour(56, 40, 32), Colour(108, 68, 36), Colour(206, 162, 78), Colour(168, 78, 36))
OLD_HAIRS = (Colour(232, 232, 236), Colour(206, 208, 214))
CLOTHES = (Colour(176, 194, 158), Colour(150, 188, 184), Colour(186, 176, 206))
"""What figures wear when nothing is said of it: muted, so that "a red shirt" can be told from it, and no skin."""
TROUSERS = (Colour(104, 110, 124), Colour(124, 112, 98), Colour(92, 112, 108))
JITTER = 9  # how far a channel may stray from its paint


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """``share`` of the other colour in the one."""
    return Colour(
        round(one.red + share * (other.red - one.red)),
        round(one.green + share * (other.green - one.green)),
        round(one.blue + share * (other.blue - one.blue)),
    )


def stray(rng: Random, colour: Colour) -> Colour:
    """The colour a little off: no two reds are alike."""

    def channel(value: int) -> int:
        return max(0, min(255, value + round((2 * rng.random() - 1) * JITTER)))

    return Colour(channel(colour.red), channel(colour.green), channel(colour.blue))


def shades(main: Colour) -> dict[str, Colour]:
    """The colours with which a thing of this main colour is drawn, by role.

    ``dark`` and ``light`` are for its details, ``patch`` stands out from it, ``edge`` goes around it.
    """
    deep, pale = main.brightness < 70, main.brightness > 200
    return {
        "main": main,
        "dark": mix(main, WHITE, 0.3) if deep else mix(main, BLACK, 0.3),
        "light": mix(main, BLACK, 0.12) if pale else mix(main, WHITE, 0.5),
        "patch": mix(main, BLACK, 0.5) if pale else mix(main, WHITE, 0.8),
        "core": FIXED["wood"] if pale else PAINTS["yellow"],
        "edge": mix(main, BLACK, 0.6),
        **FIXED,
    }


def looks(rng: Random, age: str | None) -> dict[str, Colour]:
    """The colours of a figure: skin, hair (grey in old age), and plain clothes."""
    return {
        "skin": stray(rng, pick(rng, SKINS)),
        "hair": stray(rng, pick(rng, OLD_HAIRS if age == "old" else HAIRS)),
        "top": stray(rng, pick(rng, CLOTHES)),
        "bottom": stray(rng, pick(rng, TROUSERS)),
        "edge": Colour(70, 62, 60),
        **FIXED,
    }
