"""Choose what to say about a scene. Whatever is said is true in it, and no thing is mentioned twice."""

from itertools import combinations
from random import Random
from typing import Literal

from saccade.scenes.dice import pick
from saccade.scenes.kinds import ANIMATE, KINDS, SHAPES, STANDING
from saccade.scenes.plan import (
    Clause,
    Determiner,
    Does,
    Exists,
    IsSuch,
    IsWhere,
    Joined,
    Joiner,
    Mention,
    Position,
    Says,
    SeenThat,
    Shows,
    Spot,
    Statement,
    Which,
    Whom,
    With,
)
from saccade.scenes.world import BINARY_RELATIONS, Bond, Relation, Scene, holds, place_of

Aspect = Literal["colour", "size", "age"]
SIDES: tuple[Relation, ...] = ("left of", "right of", "above", "below")
MOST_NAMED = 4  # how many things two clauses may name together before the sentence is too long
LEAST_WEIGHT = 3  # "there are circles" alone is too little to say


def draw_statement(rng: Random, scene: Scene) -> Statement | None:
    """A plan that is true of the scene, or None when the scene has nothing of the sort that was drawn."""
    return _Planner(rng, scene).statement()


class _Planner:
    def __init__(self, rng: Random, scene: Scene) -> None:
        self.rng = rng
        self.scene = scene
        owned = scene.owned()
        self.unsaid = set(range(len(scene.things)))
        self.standing = [thing for thing in range(len(scene.things)) if thing not in owned]
        self.tails = 0

    def statement(self) -> Statement | None:
        draw = self.rng.random()
        if draw < 0.4:
            self.tails = 2
            return self.clause()
        if draw < 0.52:
            return self.seen_that()
        return self.joined()

    def seen_that(self) -> SeenThat | None:
        if self.rng.random() < 0.25:
            clause: Clause | None = self.exists("end")
        else:
            self.tails = 1
            clause = self.says(None)
        return None if clause is None else SeenThat(clause)

    def clause(self) -> Clause | None:
        draw = self.rng.random()
        if draw < 0.22:
            return self.exists("start" if self.rng.random() < 0.6 else "end")
        if draw < 0.28:
            return self.absent()
        if draw < 0.38:
            mentions = self.inventory()
            return Shows(pick(self.rng, ("see", "picture")), mentions) if self.enough(mentions) else None
        return self.says(0.25)

    def joined(self) -> Joined | None:
        rng = self.rng
        if rng.random() < 0.25:  # two places take words enough: no tails
            joiner: Joiner = pick(rng, ("and", "but"))
            first: Clause | None = self.placed()
            second: Clause | None = self.placed() if rng.random() < 0.8 else self.says(None)
            if isinstance(first, Exists) and isinstance(second, Exists) and first.spot == second.spot:
                return None
        else:
            self.tails = int(rng.random() < 0.4)
            joiner = pick(rng, ("and", "and", "but", "while"))
            first = self.says(None)
            second = self.says(None)
        named = len(self.scene.things) - len(self.unsaid)
        return None if first is None or second is None or named > MOST_NAMED else Joined(first, joiner, second)

    def exists(self, position: Position) -> Exists | None:
        mentions = self.inventory()
        if not mentions:
            return None
        spot: Spot | None = None
        # behind a tail a place would seem to belong to the tail
        if position == "start" or mentions[-1].tail is None:
            if self.rng.random() < 0.12:
                spot = "picture"
            elif len(mentions) == 1 and self.rng.random() < 0.8:
                spot = self.place(mentions[0])
        if not self.enough(mentions, spot):
            return None
        return Exists(mentions, spot, position if spot else "end")

    def placed(self) -> Exists | None:
        """On the left there is ..."""
        free = [thing for thing in self.standing if thing in self.unsaid]
        if not free:
            return None
        mention = self.mention(pick(self.rng, free), definite=0, bare=0.3)
        spot = self.place(mention)
        return Exists((mention,), spot, "start") if self.enough((mention,), spot) else None

    def place(self, mention: Mention) -> Spot:
        return place_of(self.scene.things[mention.things[0]].hull)

    def absent(self) -> Exists:
        """There is no red circle: none at all, or none that is red."""
        rng = self.rng
        kind = pick(rng, SHAPES if rng.random() < 0.5 else STANDING)
        there = next((thing for thing in self.scene.things if thing.kind == kind), None)
        colours = [colour for colour in KINDS[kind].colours if there is None or colour != there.colour]
        colour = pick(rng, colours) if there is not None or rng.random() < 0.7 else None
        size = pick(rng, ("small", "big")) if rng.random() < 0.3 else None
        spot: Spot | None = "picture" if rng.random() < 0.3 else None
        position: Position = "start" if spot and rng.random() < 0.5 else "end"
        return Exists((Mention(kind, "no", colour=colour, size=size),), spot, position)

    def inventory(self) -> tuple[Mention, ...]:
        """One or two things to name; only the last may have a tail, or "and" would be unclear."""
        free = [thing for thing in self.standing if thing in self.unsaid]
        if not free:
            return ()
        if len(free) == 1 or self.rng.random() < 0.65:
            return (self.mention(pick(self.rng, free), definite=0, bare=0.3, tail=0.5),)
        one, other = self.rng.sample(free, 2)
        self.unsaid -= {one, other}
        return (
            self.mention(one, definite=0, bare=0.2, tail=0),
            self.mention(other, definite=0, bare=0.2, tail=0.25),
        )

    def enough(self, mentions: tuple[Mention, ...], spot: Spot | None = None) -> bool:
        """Whether there is enough said: a place counts like an adjective."""
        return sum(mention.weight for mention in mentions) + (spot is not None) >= LEAST_WEIGHT

    def says(self, spot: float | None) -> Says | None:
        """A clause with a subject; ``spot`` is the chance of a fronted place, None where it cannot stand."""
        rng = self.rng
        draw = rng.random()
        if draw < 0.45:
            bonds = [bond for bond in self.scene.bonds if {bond.who, bond.what} <= self.unsaid]
            if not bonds:
                return None
            bond = pick(rng, bonds)
            self.unsaid -= {bond.who, bond.what}
            subject = self.mention(bond.who, definite=0.5, tail=0.3)
            fronted = spot is not None and rng.random() < spot
            place = place_of(self.scene.things[bond.who].hull) if fronted else None
            return Says(subject, self.does(bond, tail=0.2), place)
        if draw < 0.8:
            about = pick(rng, self.standing)
            if about not in self.unsaid:
                return None
            self.unsaid.discard(about)
            predicate = self.is_where(about)
            if predicate is None:
                return None
            # "a star is not above the car" could mean any star
            definite = 0.5 if predicate.polarity == "yes" else 1
            return Says(self.mention(about, definite=definite, tail=0.3), predicate)
        return self.described()

    def described(self) -> Says | None:
        rng = self.rng
        about = pick(rng, sorted(self.unsaid)) if self.unsaid else None
        if about is None:
            return None
        thing = self.scene.things[about]
        aspect: Aspect = "age" if thing.age else "size" if rng.random() < 0.35 else "colour"
        value: str | None = getattr(thing, aspect)
        if value is None or value == "medium":
            return None
        if rng.random() < 0.25:
            others = {"colour": KINDS[thing.kind].colours, "size": ("small", "big"), "age": ("young", "old")}[aspect]
            predicate = IsSuch(aspect, pick(rng, [other for other in others if other != value]), "not")
        else:
            predicate = IsSuch(aspect, value)
        return Says(self.mention(about, definite=1, tail=0.4, unspoken=aspect), predicate)

    def does(self, bond: Bond, tail: float) -> Does:
        looks = bond.deed == "look at"
        what = self.mention(
            bond.what, definite=0.5 if looks else 0, bare=0 if looks else 0.6, tail=tail if looks else 0
        )
        return Does(bond.deed, what)

    def is_where(self, about: int) -> IsWhere | None:
        rng, things = self.rng, self.scene.things
        here = things[about].hull
        others = [thing for thing in self.standing if thing in self.unsaid]
        rng.shuffle(others)
        hulls = [things[thing].hull for thing in others]
        for (one, left), (other, right) in combinations(zip(others, hulls, strict=True), 2):
            if holds("between", here, left, right) and rng.random() < 0.7:
                self.unsaid -= {one, other}
                return IsWhere("between", (self.mention(one, definite=0.6), self.mention(other, definite=0.6)))
        for other, there in zip(others, hulls, strict=True):
            true = [relation for relation in BINARY_RELATIONS if holds(relation, here, there)]
            if not true:
                continue
            self.unsaid.discard(other)
            landmark = self.mention(other, definite=0.5, tail=0.1)
            if rng.random() < 0.15:
                return IsWhere(pick(rng, [side for side in SIDES if side not in true]), (landmark,), "not")
            return IsWhere(pick(rng, true), (landmark,))
        return None

    def mention(
        self, about: int, *, definite: float, bare: float = 0, tail: float = 0, unspoken: Aspect | None = None
    ) -> Mention:
        """Name a thing; the numbers are the chances of "the", of a bare plural and of a tail."""
        rng, thing = self.rng, self.scene.things[about]
        self.unsaid.discard(about)
        determiner: Determiner
        if rng.random() < definite:
            determiner = "the" if thing.count == 1 or rng.random() < 0.5 else "the count"
        elif thing.count == 1:
            determiner = "a"
        else:
            determiner = "bare" if rng.random() < bare else "count"
        colour = thing.colour if unspoken != "colour" and rng.random() < 0.6 else None
        size = thing.size if unspoken != "size" and thing.size != "medium" and rng.random() < 0.45 else None
        age = thing.age if unspoken != "age" and rng.random() < 0.6 else None
        said = self.tail(about) if self.tails and rng.random() < tail else None
        return Mention(thing.kind, determiner, thing.count, colour, size, age, about, said)

    def tail(self, about: int) -> With | Which | Whom | None:
        """Spend one tail; what stands inside it has none of its own."""
        left, self.tails = self.tails - 1, 0
        tail = self.with_or_which(about)
        self.tails = left
        return tail

    def with_or_which(self, about: int) -> With | Which | Whom | None:
        rng, thing = self.rng, self.scene.things[about]
        taken = [bond for bond in self.scene.bonds if bond.who == about and bond.what in self.unsaid]
        if taken:
            bond = pick(rng, taken)
            if bond.deed in ("hold", "wear") and rng.random() < 0.5:
                return With(self.mention(bond.what, definite=0, bare=0.5))
            return Which(self.does(bond, tail=0))
        takers = [bond for bond in self.scene.bonds if bond.what == about and bond.who in self.unsaid]
        if takers and thing.kind not in ANIMATE and takers[0].deed != "ride":
            return Whom(self.mention(takers[0].who, definite=0.7), takers[0].deed)
        if about in self.standing and rng.random() < 0.5:
            where = self.is_where(about)
            return None if where is None else Which(where)
        return None
