"""The plots of stories: which steps follow each other. All of them can be listed, so that nothing has to be guessed.

A story introduces its three heroes one after the other. Each but the first enters beside the one before; each may be
followed by what belongs to it and by its place; at the end up to two sentences look back. Whatever comes next speaks of
the hero before it, so that two neighbouring sentences always have something in common.
"""

from collections.abc import Iterator
from itertools import permutations, product

from saccade.scenes.cast import HEROES, Hero

Plot = tuple[str, ...]
SHORTEST, LONGEST = 4, 8
BELONGS = {"figure": "toy", "animal": "shape", "object": "item"}


def write_plots() -> tuple[Plot, ...]:
    """Every plot of four to eight steps."""
    return tuple(plot for plot in _plots() if SHORTEST <= len(plot) <= LONGEST)


def _plots() -> Iterator[Plot]:
    for first, second, last in permutations(HEROES):
        begins = (f"open {first}", f"{first} to {second}", f"{second} to {last}")
        for details in product(*(_details(hero) for hero in (first, second, last))):
            told = tuple(step for begin, detail in zip(begins, details, strict=True) for step in (begin, *detail))
            for ending in _endings(first, last, told):
                yield told + ending


def _details(hero: Hero) -> tuple[Plot, ...]:
    belongs, place = BELONGS[hero], f"place {hero}"
    return (), (belongs,), (place,), (belongs, place)


def _endings(first: Hero, last: Hero, told: Plot) -> Iterator[Plot]:
    """Nothing, one or two of the sentences that look back at the last hero, or a summary, alone or behind one."""
    back = [f"{first} by {last}"]
    if last != "figure":
        back.append(f"figure looks at {last}")
        if "toy" in told:
            back.append(f"toy by {last}")
    if last == "animal":
        back.append("animal looks at figure")
        if "shape" in told:
            back.append("shape again")
    if last == "object" and "item" in told:
        back.append("item again")
    yield ()
    yield ("all",)
    for one in back:
        yield (one,)
        yield (one, "all")
    yield from permutations(back, 2)
