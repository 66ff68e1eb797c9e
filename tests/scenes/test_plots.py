"""Plots: all different, of four to eight steps, nothing spoken of before it has entered."""

from itertools import pairwise

from saccade.scenes.cast import HEROES
from saccade.scenes.forms import write_steps
from saccade.scenes.plots import BELONGS, write_plots

PLOTS = write_plots()
FORMS = write_steps()
OWN = {"garment": "figure", "toy": "figure", "shape": "animal", "item": "object"}


def heroes_of(step: str) -> set[str]:
    """The heroes that every form of the step names, or names something of."""
    named = []
    for form in FORMS[step]:
        roles = {word.partition(".")[0] for word in form.split() if "." in word}
        named.append({OWN.get(role, role) for role in roles} & set(HEROES))
    return set.intersection(*named)


def test_plots_are_different_and_every_step_has_forms() -> None:
    assert len(set(PLOTS)) == len(PLOTS) > 3000
    assert {len(plot) for plot in PLOTS} == {4, 5, 6, 7, 8}
    assert {step for plot in PLOTS for step in plot} == set(FORMS)


def test_no_step_is_told_twice() -> None:
    assert all(len(set(plot)) == len(plot) for plot in PLOTS)


def test_all_heroes_enter_before_they_are_spoken_of() -> None:
    for plot in PLOTS:
        known = {plot[0].removeprefix("open ")}
        for step in plot[1:]:
            if " to " in step:
                one, _, other = step.partition(" to ")
                assert one in known
                assert other not in known
                known.add(other)
            assert heroes_of(step) <= known
        assert known == set(HEROES)


def test_what_is_named_again_was_there_before() -> None:
    for plot in PLOTS:
        for place, step in enumerate(plot):
            for belonging in BELONGS.values():
                if step in (f"{belonging} again", f"{belonging} by animal", f"{belonging} by object"):
                    assert belonging in plot[:place]


def test_neighbours_speak_of_the_same_hero() -> None:
    heroes = {step: heroes_of(step) for step in FORMS}
    assert all(heroes[one] & heroes[other] for plot in PLOTS for one, other in pairwise(plot))
