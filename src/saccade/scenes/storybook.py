"""All the stories there are: a cast, the forms of every step, and the plots.

A story is drawn by four independent draws: how many sentences it has, one plot of that length, a form for each step and
a value for each role. So the probability of a fragment (some sentences of a story, one after the other) is a product,

    P(fragment) = P(steps) · Π_sentences 1 / forms of its step · Π_roles values that fit / values of the role,

and what stands outside the fragment does not have to be summed over.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random

from saccade.scenes.cast import CAST, Role
from saccade.scenes.dice import pick
from saccade.scenes.forms import Form, read_forms, write_steps
from saccade.scenes.plots import Plot, write_plots

Lines = tuple[str, ...]
"""Sentences of one story, one after the other."""


@dataclass(frozen=True, eq=False)  # known by identity, so that readings of its lines can be kept
class Storybook:
    """Everything that decides which stories there are and how likely each of them is."""

    cast: tuple[Role, ...]
    forms: Mapping[str, tuple[Form, ...]]
    """The forms of each step."""
    plots: tuple[Plot, ...]

    @cached_property
    def by_length(self) -> Mapping[int, Sequence[Plot]]:
        """The plots of each number of steps; every number is equally likely, and so is every plot within it."""
        found: defaultdict[int, list[Plot]] = defaultdict(list)
        for plot in self.plots:
            found[len(plot)].append(plot)
        return dict(sorted(found.items()))

    @cached_property
    def windows(self) -> Mapping[Plot, float]:
        """P(steps): how often these steps stand one after the other, summed over the plots and the places in them.

        So a fragment of m sentences is thought to be cut out of any of the places at which a story has m sentences.
        """
        found: defaultdict[Plot, float] = defaultdict(float)
        for length, plots in self.by_length.items():
            chance = 1 / (len(self.by_length) * len(plots))
            for plot in plots:
                for start in range(length):
                    for end in range(start + 1, length + 1):
                        found[plot[start:end]] += chance
        return dict(found)

    @cached_property
    def places(self) -> Mapping[int, float]:
        """For each number m the number of places at which a story has m sentences, on average: the sum of P(steps)."""
        found: defaultdict[int, float] = defaultdict(float)
        for steps, chance in self.windows.items():
            found[len(steps)] += chance
        return dict(found)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """How many values each role has."""
        return {role.name: role.size for role in self.cast}

    def tell(self, rng: Random) -> Lines:
        """Draw a story."""
        plot = pick(rng, self.by_length[pick(rng, tuple(self.by_length))])
        values = {role.name: int(rng.random() * role.size) for role in self.cast}
        return tuple(say(pick(rng, self.forms[step]), values) for step in plot)


def say(form: Form, values: Mapping[str, int]) -> str:
    """The sentence of this form when the roles have these values."""
    return " ".join(place.words[values[place.role] if place.role else 0] for place in form)


@cache
def storybook() -> Storybook:
    """The stories of the embedded world."""
    return Storybook(CAST, read_forms(write_steps(), CAST), write_plots())
