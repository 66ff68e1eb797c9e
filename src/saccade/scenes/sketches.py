"""How each kind of thing looks, in the unit square; people have their own file."""

from math import cos, pi, sin

from saccade.scenes.strokes import Sketch, bar, hoop, inside, oval, poly, rect, wedge


def _star() -> tuple[float, ...]:
    points: list[float] = []
    for at in range(10):
        radius = 52 if at % 2 == 0 else 22
        points += [50 + radius * sin(pi * at / 5), 53 - radius * cos(pi * at / 5)]
    return tuple(points)


def _heart() -> tuple[float, ...]:
    points: list[float] = []
    for at in range(32):
        turn = 2 * pi * at / 32
        height = 13 * cos(turn) - 5 * cos(2 * turn) - 2 * cos(3 * turn) - cos(4 * turn)
        points += [50 + 50 * sin(turn) ** 3, 42 - 3.25 * height]
    return tuple(points)


SHAPES: dict[str, Sketch] = {
    "circle": (oval("main", 0, 0, 100, 100),),
    "square": (rect("main", 5, 5, 95, 95),),
    "triangle": (poly("main", 50, 2, 100, 94, 0, 94),),
    "star": (poly("main", *_star()),),
    "heart": (poly("main", *_heart()),),
    "cross": (rect("main", 33, 0, 67, 100), rect("main", 0, 33, 100, 67)),
    "arrow": (poly("main", 0, 35, 52, 35, 52, 8, 100, 50, 52, 92, 52, 65, 0, 65),),
    "ring": (hoop("main", 22, 0, 0, 100, 100),),
    "diamond": (poly("main", 50, 0, 88, 50, 50, 100, 12, 50),),
}

OBJECTS: dict[str, Sketch] = {
    "house": (
        rect("main", 12, 42, 88, 100),
        poly("dark", 0, 46, 50, 2, 100, 46),
        *inside(rect("wood", 41, 66, 59, 100), rect("glass", 19, 55, 34, 70), rect("glass", 66, 55, 81, 70)),
    ),
    "car": (
        poly("main", 0, 52, 14, 46, 30, 20, 70, 20, 86, 46, 100, 52, 100, 78, 0, 78),
        oval("tyre", 10, 60, 38, 90),
        oval("tyre", 62, 60, 90, 90),
        *inside(
            poly("glass", 34, 27, 48, 27, 48, 46, 23, 46),
            poly("glass", 53, 27, 66, 27, 77, 46, 53, 46),
            oval("hub", 19, 69, 29, 81),
            oval("hub", 71, 69, 81, 81),
        ),
    ),
    "table": (
        rect("dark", 8, 16, 20, 100),
        rect("dark", 80, 16, 92, 100),
        rect("main", 0, 0, 100, 20),
    ),
    "chair": (
        rect("dark", 18, 62, 29, 100),
        rect("dark", 71, 62, 82, 100),
        rect("main", 20, 0, 31, 56),
        rect("main", 69, 0, 80, 56),
        rect("main", 20, 2, 80, 16),
        rect("main", 20, 26, 80, 38),
        poly("main", 20, 52, 80, 52, 92, 68, 8, 68),
    ),
    "bench": (
        rect("dark", 8, 4, 16, 96),
        rect("dark", 84, 4, 92, 96),
        rect("main", 0, 0, 100, 15),
        rect("main", 0, 22, 100, 37),
        rect("main", 0, 54, 100, 70),
    ),
    "boat": (
        rect("wood", 46, 2, 52, 62),
        poly("cream", 56, 6, 94, 52, 56, 52),
        poly("main", 0, 58, 100, 58, 82, 94, 18, 94),
        *inside(rect("dark", 6, 64, 94, 70)),
    ),
    "lamp": (
        rect("metal", 45, 46, 55, 90),
        oval("metal", 24, 84, 76, 100),
        poly("main", 30, 0, 70, 0, 94, 52, 6, 52),
        *inside(rect("light", 10, 43, 90, 49)),
    ),
    "flower": (
        rect("stem", 46, 44, 54, 100),
        oval("stem", 52, 66, 84, 82),
        oval("main", 34, 0, 66, 32),
        oval("main", 58, 14, 90, 46),
        oval("main", 50, 36, 82, 68),
        oval("main", 18, 36, 50, 68),
        oval("main", 10, 14, 42, 46),
        oval("core", 36, 22, 64, 50),
    ),
    "box": (
        poly("dark", 16, 0, 84, 0, 98, 28, 2, 28),
        rect("main", 2, 26, 98, 98),
        *inside(rect("light", 43, 0, 57, 54), bar("edge", 2, 2, 27, 98, 27)),
    ),
    "tree": (
        rect("wood", 42, 56, 58, 100),
        oval("main", 6, 24, 58, 74),
        oval("main", 42, 24, 94, 74),
        oval("main", 22, 0, 78, 54),
        *inside(oval("light", 36, 10, 50, 24), oval("dark", 60, 48, 72, 60), oval("dark", 24, 50, 36, 62)),
    ),
    "cloud": (
        oval("main", 0, 42, 44, 86),
        oval("main", 22, 14, 70, 80),
        oval("main", 56, 36, 100, 86),
        rect("main", 22, 60, 80, 86),
        *inside(oval("light", 34, 24, 54, 42)),
    ),
}

ANIMALS: dict[str, Sketch] = {
    "dog": (
        bar("main", 9, 84, 48, 98, 22),
        rect("main", 30, 62, 42, 98),
        rect("main", 74, 62, 86, 98),
        rect("dark", 46, 62, 56, 96),
        rect("dark", 62, 62, 72, 96),
        oval("main", 24, 38, 92, 76),
        oval("main", 8, 8, 50, 54),
        oval("light", 0, 28, 26, 50),
        oval("dark", 34, 12, 52, 54),
        *inside(oval("eye", 0, 29, 10, 39), oval("eye", 20, 20, 28, 30)),
    ),
    "cat": (
        bar("main", 9, 72, 92, 94, 84, 92, 58),
        oval("main", 20, 42, 80, 100),
        poly("main", 18, 36, 16, 0, 46, 16),
        poly("main", 82, 36, 84, 0, 54, 16),
        oval("main", 14, 8, 86, 60),
        *inside(
            oval("light", 36, 62, 64, 100),
            oval("beak", 28, 26, 42, 40),
            oval("beak", 58, 26, 72, 40),
            oval("eye", 33, 27, 38, 39),
            oval("eye", 63, 27, 68, 39),
            poly("flesh", 44, 42, 56, 42, 50, 50),
        ),
    ),
    "bird": (
        bar("beak", 5, 42, 74, 42, 98),
        bar("beak", 5, 58, 74, 58, 98),
        poly("dark", 70, 46, 100, 22, 98, 62),
        oval("main", 14, 30, 84, 82),
        oval("main", 10, 8, 48, 50),
        poly("beak", 14, 22, 0, 32, 14, 38),
        *inside(oval("dark", 38, 42, 80, 68), oval("eye", 20, 18, 30, 28)),
    ),
    "horse": (
        poly("dark", 86, 42, 100, 50, 98, 86, 88, 84),
        rect("main", 32, 62, 41, 100),
        rect("main", 80, 62, 89, 100),
        rect("dark", 45, 62, 53, 98),
        rect("dark", 69, 62, 77, 98),
        oval("main", 26, 40, 92, 74),
        poly("main", 26, 10, 48, 18, 56, 48, 30, 60),
        poly("main", 30, 4, 42, 18, 14, 40, 0, 38, 0, 26),
        poly("dark", 30, 2, 42, 4, 60, 44, 48, 42, 34, 14),
        *inside(oval("eye", 20, 16, 27, 23)),
    ),
    "donkey": (
        bar("main", 4, 88, 46, 98, 72),
        oval("dark", 94, 68, 100, 82),
        rect("main", 34, 64, 43, 100),
        rect("main", 78, 64, 87, 100),
        rect("dark", 47, 64, 55, 98),
        rect("dark", 67, 64, 75, 98),
        oval("main", 28, 42, 92, 76),
        poly("main", 28, 30, 46, 28, 52, 50, 34, 62),
        oval("main", 20, 0, 31, 36),
        oval("main", 35, 0, 46, 36),
        oval("main", 8, 22, 46, 50),
        oval("cream", 0, 32, 22, 52),
        *inside(oval("flesh", 23, 6, 28, 28), oval("flesh", 38, 6, 43, 28), oval("eye", 24, 28, 32, 36)),
    ),
    "cow": (
        bar("main", 4, 92, 42, 98, 70),
        rect("main", 28, 64, 39, 96),
        rect("main", 80, 64, 91, 96),
        oval("flesh", 62, 66, 80, 84),
        rect("main", 24, 34, 94, 74),
        bar("cream", 6, 10, 22, 4, 6),
        bar("cream", 6, 38, 22, 44, 6),
        oval("main", 4, 16, 44, 50),
        oval("flesh", 6, 40, 42, 62),
        *inside(
            oval("patch", 46, 36, 68, 56),
            oval("patch", 72, 48, 92, 70),
            oval("eye", 13, 26, 20, 35),
            oval("eye", 29, 26, 36, 35),
        ),
    ),
    "rabbit": (
        oval("main", 28, 0, 45, 48),
        oval("main", 55, 0, 72, 48),
        oval("patch", 72, 74, 92, 94),
        oval("main", 20, 52, 80, 100),
        oval("main", 22, 28, 78, 68),
        *inside(
            oval("flesh", 33, 6, 40, 34),
            oval("flesh", 60, 6, 67, 34),
            oval("eye", 34, 42, 42, 52),
            oval("eye", 58, 42, 66, 52),
            oval("flesh", 45, 52, 55, 60),
        ),
    ),
}

TOYS: dict[str, Sketch] = {
    "ball": (
        oval("main", 0, 0, 100, 100),
        *inside(
            wedge("patch", 20, 80, 0, 0, 100, 100),
            wedge("patch", 140, 200, 0, 0, 100, 100),
            wedge("patch", 260, 320, 0, 0, 100, 100),
            oval("main", 38, 38, 62, 62),
        ),
    ),
    "umbrella": (
        bar("wood", 6, 50, 4, 50, 92, 62, 96, 66, 86),
        wedge("main", 180, 360, 0, 4, 100, 104),
        *inside(
            bar("dark", 4, 50, 6, 33, 52),
            bar("dark", 4, 50, 6, 67, 52),
        ),
    ),
    "kite": (
        bar("metal", 4, 50, 68, 62, 78, 42, 88, 54, 100),
        poly("main", 50, 0, 86, 32, 50, 72, 14, 32),
        *inside(poly("patch", 50, 0, 86, 32, 50, 32), poly("patch", 50, 72, 14, 32, 50, 32)),
    ),
    "balloon": (
        bar("metal", 4, 50, 72, 46, 84, 52, 100),
        poly("main", 42, 78, 58, 78, 50, 68),
        oval("main", 14, 0, 86, 74),
        *inside(oval("light", 28, 10, 46, 32)),
    ),
    "book": (
        rect("main", 10, 4, 90, 96),
        *inside(rect("dark", 10, 4, 24, 96), rect("cream", 24, 84, 90, 92), rect("cream", 36, 20, 78, 44)),
    ),
    "flag": (
        rect("wood", 6, 0, 15, 100),
        poly("main", 15, 4, 44, 10, 70, 4, 98, 10, 98, 58, 70, 52, 44, 58, 15, 52),
        *inside(poly("patch", 15, 21, 44, 27, 70, 21, 98, 27, 98, 42, 70, 36, 44, 42, 15, 36)),
    ),
    "bag": (
        hoop("dark", 8, 28, 2, 72, 70),
        poly("main", 12, 36, 88, 36, 98, 96, 2, 96),
        *inside(poly("dark", 12, 36, 88, 36, 80, 62, 20, 62), oval("cream", 43, 56, 57, 68)),
    ),
    "basket": (
        hoop("wood", 7, 12, 2, 88, 90),
        poly("main", 2, 46, 98, 46, 82, 98, 18, 98),
        *inside(
            bar("patch", 5, 4, 62, 96, 62),
            bar("patch", 5, 10, 80, 90, 80),
            bar("dark", 4, 30, 48, 35, 97),
            bar("dark", 4, 50, 48, 50, 97),
            bar("dark", 4, 70, 48, 65, 97),
        ),
    ),
}

CLOTHES: dict[str, Sketch] = {
    "hat": (
        oval("main", 0, 60, 100, 100),
        rect("main", 22, 4, 78, 82),
        *inside(rect("patch", 22, 54, 78, 70)),
    ),
    "cap": (
        wedge("main", 180, 360, 12, 6, 82, 184),
        poly("dark", 44, 76, 92, 76, 100, 96, 44, 96),
        *inside(bar("dark", 3, 47, 12, 47, 76), oval("dark", 42, 2, 52, 16)),
    ),
    "scarf": (
        rect("main", 16, 0, 84, 52),
        rect("main", 56, 40, 80, 100),
        *inside(rect("patch", 56, 66, 80, 78), bar("dark", 4, 18, 26, 82, 26)),
    ),
    "coat": (
        poly("main", 26, 0, 74, 0, 100, 58, 84, 64, 80, 40, 92, 100, 8, 100, 20, 40, 16, 64, 0, 58),
        *inside(bar("dark", 4, 50, 2, 50, 98), oval("patch", 56, 26, 64, 32), oval("patch", 56, 48, 64, 54)),
    ),
    "jacket": (
        poly("main", 24, 0, 76, 0, 100, 90, 84, 96, 76, 52, 76, 100, 24, 100, 24, 52, 16, 96, 0, 90),
        *inside(poly("cream", 38, 0, 62, 0, 50, 46), bar("patch", 5, 50, 40, 50, 98)),
    ),
    "shirt": (
        poly("main", 24, 0, 76, 0, 100, 44, 82, 58, 76, 42, 76, 100, 24, 100, 24, 42, 18, 58, 0, 44),
        *inside(rect("patch", 24, 50, 76, 62), rect("patch", 24, 76, 76, 88)),
    ),
}

VEHICLES: dict[str, Sketch] = {
    "bicycle": (
        hoop("tyre", 7, 0, 48, 46, 94),
        hoop("tyre", 7, 54, 48, 100, 94),
        bar("main", 8, 23, 71, 38, 36, 70, 36, 50, 71, 23, 71),
        bar("main", 8, 50, 71, 36, 30),
        bar("main", 8, 77, 71, 68, 22),
        bar("tyre", 7, 26, 28, 46, 28),
        bar("tyre", 7, 58, 20, 78, 20),
    ),
    "scooter": (
        bar("main", 10, 14, 78, 74, 78, 62, 10),
        bar("tyre", 8, 44, 10, 80, 10),
        oval("tyre", 2, 72, 28, 98),
        oval("tyre", 66, 72, 92, 98),
        *inside(oval("hub", 11, 81, 19, 89), oval("hub", 75, 81, 83, 89)),
    ),
}

SKETCHES: dict[str, Sketch] = {**SHAPES, **OBJECTS, **ANIMALS, **TOYS, **CLOTHES, **VEHICLES}
TURNABLE = frozenset((*ANIMALS, *VEHICLES, "car", "boat", "flower", "cap"))
"""What may look to the left as well as to the right."""
