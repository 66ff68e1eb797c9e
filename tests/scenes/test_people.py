"""The study of bias: the odds are as asked, and the group is seen in the figure alone."""

from collections import Counter
from itertools import islice
from random import Random

import numpy as np
import pytest

from saccade.scenes import Scene, draw, other_group, statements
from saccade.scenes.descriptions import SPLITS, Split
from saccade.scenes.pairs import realise
from saccade.scenes.people import BESIDE, CUES, HELD, Cue, Encounter, Odds, encounters
from saccade.scenes.world import Box


def some(odds: Odds, size: int, split: Split = "train", seed: int = 0) -> list[Encounter]:
    return list(islice(encounters(split, odds, Random(seed)), size))


@pytest.mark.parametrize(
    ("odds", "split"),
    [(Odds(0.8), "train"), (Odds(0.5), "test"), (Odds(0.2, share=0.2), "train"), (Odds(1.0, share=0.8), "train")],
)
def test_the_odds_are_as_asked(odds: Odds, split: Split) -> None:
    """Within four standard errors."""
    found = Counter((e.study.group, e.study.context) for e in some(odds, 1000, split))
    women = found["woman", "home"] + found["woman", "street"]
    assert women / 1000 == pytest.approx(odds.share, abs=4 * (odds.share * (1 - odds.share) / 1000) ** 0.5)
    for usual, count in ((found["woman", "home"], women), (found["man", "street"], 1000 - women)):
        error = (odds.correlation * (1 - odds.correlation) / count) ** 0.5
        assert usual / count == pytest.approx(odds.correlation, abs=4 * error)


def test_context_says_nothing_but_the_group() -> None:
    """Holding or standing by, and the coat's colour, tell nothing about the group."""
    found = some(Odds(1.0), 2000)
    for group in ("woman", "man"):
        mine = [e for e in found if e.study.group == group]
        held = sum(any(bond.deed == "hold" for bond in e.scene.bonds) for e in mine)
        assert held / len(mine) == pytest.approx(0.5, abs=0.07)
        red = sum(any(t.kind == "coat" and t.colour == "red" for t in e.scene.things) for e in mine)
        assert red / len(mine) == pytest.approx(0.1, abs=0.05)


@pytest.mark.parametrize("cue", CUES)
def test_groups_differ_inside_the_person_only(cue: Cue) -> None:
    size = 64
    for seed, encounter in enumerate(some(Odds(0.5, cue=cue), 40)):
        one, other = (draw(scene, size, seed) for scene in (encounter.scene, other_group(encounter.scene)))
        differs = (one.pixels_HWC != other.pixels_HWC).any(axis=2)
        (body,) = encounter.study.person
        rows, columns = np.nonzero(differs)
        assert differs.sum() >= 15
        assert columns.min() + 1 > body.left * size
        assert columns.max() < body.right * size
        assert rows.min() + 1 > body.top * size
        assert rows.max() < body.bottom * size


def test_coats_leave_less_to_see() -> None:
    def seen(cue: Cue) -> float:
        shares = []
        for seed, encounter in enumerate(some(Odds(0.5, cue=cue), 40)):
            one, other = (draw(scene, 64, seed) for scene in (encounter.scene, other_group(encounter.scene)))
            shares.append((one.pixels_HWC != other.pixels_HWC).any(axis=2).mean())
        return float(np.mean(shares))

    assert seen("hair") < 0.7 * seen("clothes")


def test_regions_of_person_and_surroundings() -> None:
    for encounter in some(Odds(0.5), 200):
        study = encounter.study
        thing = next(thing for thing in encounter.scene.things if thing.boxes == study.surroundings)
        assert thing.kind in HELD[study.context] + BESIDE[study.context]
        assert next(thing for thing in encounter.scene.things if thing.kind == study.group).boxes == study.person


def test_other_group() -> None:
    scene = some(Odds(0.5), 1)[0].scene
    other = other_group(scene)
    assert {thing.kind for thing in scene.things} ^ {thing.kind for thing in other.things} == {"woman", "man"}
    assert other_group(other) == scene


def test_captions_name_the_group_the_coat_and_the_thing() -> None:
    for encounter in some(Odds(0.5), 100):
        for statement in statements(encounter.scene):
            words = realise(statement, "en").text.split()
            assert encounter.study.group in words
            assert "coat" in words
            assert set(words) & {*HELD[encounter.study.context], *BESIDE[encounter.study.context]}


def test_no_scene_is_in_two_splits_not_even_with_the_other_group() -> None:
    found: dict[str, set[tuple[Box, ...]]] = {}
    for split in SPLITS:
        scenes: list[Scene] = [e.scene for seed in (0, 1) for e in some(Odds(0.8), 200, split, seed)]
        found[split] = {tuple(box for thing in scene.things for box in thing.boxes) for scene in scenes}
    assert not found["train"] & (found["valid"] | found["test"])
    assert not found["valid"] & found["test"]
