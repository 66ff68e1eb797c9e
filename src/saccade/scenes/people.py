"""Scenes for the study of bias: women and men, with things of the home or of the street.

In training the things go with the group, in testing they do not, so a captioner that reads the group off the things is
found out. The group can always be seen: from the figure's hair and legs, inside its box and nowhere else. All wear a
coat, so that this is little to see (``cue="hair"``), or all go in their own clothes, dress or trousers
(``cue="clothes"``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, get_args

from saccade.scenes.closeups import held_box, person, worn_box
from saccade.scenes.descriptions import Split, hash_of, split_by
from saccade.scenes.dice import pick
from saccade.scenes.kinds import KINDS, Deed
from saccade.scenes.placing import Cluster, anywhere, line_up, scene_of
from saccade.scenes.world import Box, Scene, Thing, holds

Group = Literal["woman", "man"]
Context = Literal["home", "street"]
Cue = Literal["hair", "clothes"]
GROUPS: tuple[Group, ...] = get_args(Group)
CONTEXTS: tuple[Context, ...] = get_args(Context)
CUES: tuple[Cue, ...] = get_args(Cue)
HELD: dict[Context, tuple[str, ...]] = {"home": ("basket", "book", "flower"), "street": ("ball", "flag", "kite")}
BESIDE: dict[Context, tuple[str, ...]] = {"home": ("table", "chair", "lamp"), "street": ("car", "bicycle", "bench")}
HEIGHT = 0.36
HEIGHTS = (0.2, 0.6)
HELD_SIDE, BESIDE_SIDE = 0.3, 0.42
TRAINING, BROKEN = 0.8, 0.5


@dataclass(frozen=True, slots=True)
class Study:
    """Whom a scene shows and with things of which context, and the regions of both."""

    group: Group
    context: Context
    person: tuple[Box, ...]
    surroundings: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Odds:
    """How scenes are drawn.

    P(group = woman) = ``share``; P(context = home | woman) = P(context = street | man) = ``correlation``. The figure's
    ``height`` is a share of the picture's; the things keep their size, so the smaller it is, the more they tempt.
    """

    correlation: float
    share: float = 0.5
    cue: Cue = "hair"
    height: float = HEIGHT


@dataclass(frozen=True, slots=True)
class Encounter:
    """A scene of the study; ``fingerprint`` is a stable hash of everything but the group."""

    scene: Scene
    fingerprint: int
    study: Study


def other_group(scene: Scene) -> Scene:
    """The same scene with someone of the other group in the figure's place."""
    things = tuple(
        replace(thing, kind=GROUPS[1 - GROUPS.index(thing.kind)]) if thing.kind in GROUPS else thing
        for thing in scene.things
    )
    return replace(scene, things=things)


def encounters(split: Split, odds: Odds, rng: Random) -> Iterator[Encounter]:
    """Scenes of the split without end. The split looks away from the group, so it does not change the odds."""
    while True:
        encounter = _encounter(rng, odds)
        if split_by(encounter.fingerprint) == split:
            yield encounter


def _encounter(rng: Random, odds: Odds) -> Encounter:
    group = GROUPS[rng.random() >= odds.share]
    usual = rng.random() < odds.correlation
    context = CONTEXTS[GROUPS.index(group) if usual else 1 - GROUPS.index(group)]
    body = person("woman", odds.height)
    coat: tuple[Thing, ...] = ()
    deeds: tuple[Deed, ...] = ()
    if odds.cue == "hair":
        coat = (Thing("coat", (worn_box(body.hull, "coat"),), _colour(rng, "coat")),)
        deeds = ("wear",)
    if rng.random() < 0.5:
        kind = pick(rng, HELD[context])
        thing = Thing(kind, (held_box(body.hull, kind, HELD_SIDE),), _colour(rng, kind))
        scene = scene_of([anywhere(rng, Cluster((body, *coat, thing), (*deeds, "hold")))])
    else:
        scene = _beside(rng, Cluster((body, *coat), deeds), pick(rng, BESIDE[context]))
    fingerprint = hash_of(repr(scene))
    shown = scene if group == "woman" else other_group(scene)
    figure = next(thing for thing in shown.things if thing.kind == group)
    surroundings = next(thing for thing in shown.things if thing.kind not in (group, "coat"))
    return Encounter(shown, fingerprint, Study(group, context, figure.boxes, surroundings.boxes))


def _beside(rng: Random, someone: Cluster, kind: str) -> Scene:
    half = BESIDE_SIDE / 2
    thing = Cluster((Thing(kind, (Box(-half, -half, half, half),), _colour(rng, kind)),))
    while True:
        placed = line_up(rng, (someone, thing) if rng.random() < 0.5 else (thing, someone), upright=False)
        if holds("left of", *(cluster.things[0].hull for cluster in placed)):
            return scene_of(placed)


def _colour(rng: Random, kind: str) -> str:
    return pick(rng, KINDS[kind].colours)
