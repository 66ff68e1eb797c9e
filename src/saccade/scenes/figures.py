"""How people look: a woman has long hair and a dress, a girl pigtails, a boy shorts; children have larger heads.

Hair tells a man from a woman and a boy from a girl, under a coat too; an old man has a beard, so that his age is seen
under a hat. A figure is about two and a half times as high as broad.
"""

from saccade.scenes.strokes import Part, Sketch, bar, inside, oval, poly, rect, wedge


def figure(kind: str, age: str | None = None, *, reaches: bool = False) -> Sketch:
    """The parts of a man, woman, boy or girl; one who ``reaches`` holds something at the right."""
    return FIGURES["greybeard" if kind == "man" and age == "old" else kind, reaches]


def _arms(shoulder: float, *, reaches: bool) -> Sketch:
    right = (76, shoulder + 4, 97, shoulder + 16) if reaches else (78, shoulder + 4, 90, shoulder + 24)
    return (
        bar("top", 13, 22, shoulder + 4, 10, shoulder + 24),
        oval("skin", 3, shoulder + 22, 18, shoulder + 28),
        bar("top", 13, *right),
        oval("skin", right[2] - 11, right[3] - 2, right[2] + 3, right[3] + 4),
    )


def _face(left: float, top: float, right: float, bottom: float) -> tuple[Part, ...]:
    """The eyes and the mouth of a head with this box."""
    width, height = right - left, bottom - top

    def dot(x: float, y: float, size: float) -> Part:
        middle, level = left + x * width, top + y * height
        return oval("eye", middle - size * width, level - size * height, middle + size * width, level + size * height)

    mouth = bar("edge", 4, left + 0.38 * width, top + 0.8 * height, left + 0.62 * width, top + 0.8 * height)
    return inside(dot(0.3, 0.58, 0.07), dot(0.7, 0.58, 0.07), mouth)


def _man(*, reaches: bool) -> Sketch:
    return (
        rect("bottom", 26, 58, 48, 96),
        rect("bottom", 52, 58, 74, 96),
        oval("tyre", 18, 93, 48, 100),
        oval("tyre", 52, 93, 82, 100),
        *_arms(33, reaches=reaches),
        poly("top", 20, 33, 80, 33, 75, 62, 25, 62),
        oval("skin", 24, 4, 76, 32),
        wedge("hair", 180, 360, 22, 2, 78, 28),
        *_face(24, 4, 76, 32),
    )


def _greybeard(*, reaches: bool) -> Sketch:
    return (*_man(reaches=reaches), *inside(wedge("hair", 0, 180, 24, 14, 76, 37)))


def _woman(*, reaches: bool) -> Sketch:
    return (
        rect("skin", 34, 78, 45, 97),
        rect("skin", 55, 78, 66, 97),
        oval("tyre", 28, 94, 46, 100),
        oval("tyre", 54, 94, 72, 100),
        oval("hair", 10, 2, 90, 34),
        rect("hair", 10, 18, 32, 44),
        rect("hair", 68, 18, 90, 44),
        *_arms(34, reaches=reaches),
        poly("top", 26, 33, 74, 33, 66, 52, 96, 82, 4, 82, 34, 52),
        oval("skin", 24, 5, 76, 33),
        wedge("hair", 180, 360, 22, 2, 78, 26),
        *_face(24, 5, 76, 33),
    )


def _boy(*, reaches: bool) -> Sketch:
    return (
        rect("skin", 30, 74, 44, 96),
        rect("skin", 56, 74, 70, 96),
        oval("tyre", 22, 93, 46, 100),
        oval("tyre", 54, 93, 78, 100),
        *_arms(40, reaches=reaches),
        poly("top", 24, 40, 76, 40, 74, 66, 26, 66),
        poly("bottom", 25, 64, 75, 64, 78, 82, 53, 82, 50, 72, 47, 82, 22, 82),
        oval("skin", 12, 4, 88, 40),
        wedge("hair", 180, 360, 10, 2, 90, 34),
        *_face(12, 4, 88, 40),
    )


def _girl(*, reaches: bool) -> Sketch:
    return (
        rect("skin", 34, 78, 45, 97),
        rect("skin", 55, 78, 66, 97),
        oval("tyre", 28, 94, 46, 100),
        oval("tyre", 54, 94, 72, 100),
        oval("hair", 0, 22, 24, 42),
        oval("hair", 76, 22, 100, 42),
        *_arms(40, reaches=reaches),
        poly("top", 28, 40, 72, 40, 66, 56, 90, 82, 10, 82, 34, 56),
        oval("skin", 14, 4, 86, 40),
        wedge("hair", 180, 360, 12, 2, 88, 34),
        *_face(14, 4, 86, 40),
    )


LOOKS = {"man": _man, "greybeard": _greybeard, "woman": _woman, "boy": _boy, "girl": _girl}
FIGURES: dict[tuple[str, bool], Sketch] = {
    (kind, reaches): look(reaches=reaches) for kind, look in LOOKS.items() for reaches in (False, True)
}
