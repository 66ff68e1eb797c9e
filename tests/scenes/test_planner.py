"""Whatever is said is true of its scene: checked by reading the plan back against the scene."""

from collections import Counter

import pytest

from saccade.scenes import Description, Scene, describe
from saccade.scenes.plan import (
    Clause,
    Does,
    Exists,
    IsSuch,
    IsWhere,
    Joined,
    Mention,
    Predicate,
    Says,
    SeenThat,
    Shows,
    Statement,
    Which,
    Whom,
    With,
)
from saccade.scenes.world import Bond, Relation, holds, place_of


@pytest.fixture(scope="module")
def descriptions() -> list[Description]:
    return list(describe("train", 8000, 2))


def clauses(statement: Statement) -> list[Clause]:
    match statement:
        case Joined(first, _, second):
            return [first, second]
        case SeenThat(clause):
            return [clause]
        case _:
            return [statement]


class Reader:
    """Reads a plan, checks each claim against the scene and notes what it met."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.named: list[int] = []
        self.met: Counter[str] = Counter()

    def clause(self, clause: Clause) -> None:
        match clause:
            case Exists(mentions, spot, _):
                self.met["exists"] += 1
                if mentions[0].determiner == "no":
                    self.absent(mentions[0])
                    return
                for mention in mentions:
                    self.mention(mention)
                self.spot(mentions[0], spot)
            case Shows(_, mentions):
                for mention in mentions:
                    self.mention(mention)
            case Says(subject, predicate, spot):
                self.mention(subject)
                self.predicate(subject, predicate)
                self.spot(subject, spot)

    def absent(self, mention: Mention) -> None:
        self.met["absent"] += 1
        assert mention.thing is None
        for thing in self.scene.things:
            assert (
                thing.kind != mention.kind
                or mention.colour not in (None, thing.colour)
                or mention.size not in (None, thing.size)
            )

    def spot(self, mention: Mention, spot: str | None) -> None:
        if spot not in (None, "picture"):
            self.met["spot"] += 1
            assert place_of(self.scene.things[self.index(mention)].hull) == spot

    def index(self, mention: Mention) -> int:
        assert mention.thing is not None
        return mention.thing

    def mention(self, mention: Mention) -> None:
        thing = self.scene.things[self.index(mention)]
        self.named.append(self.index(mention))
        assert (mention.kind, mention.count) == (thing.kind, thing.count)
        assert mention.colour in (None, thing.colour)
        assert mention.size in (None, thing.size)
        assert mention.size != "medium"
        assert mention.age in (None, thing.age)
        assert (mention.determiner == "a") <= (thing.count == 1)
        assert (mention.determiner in ("count", "the count", "bare")) <= (thing.count > 1)
        match mention.tail:
            case With(item):
                self.met["with"] += 1
                self.mention(item)
                deeds = {bond.deed for bond in self.scene.bonds if (bond.who, bond.what) == (mention.thing, item.thing)}
                assert deeds & {"hold", "wear"}
            case Which(predicate):
                self.met["which"] += 1
                self.predicate(mention, predicate)
            case Whom(subject, deed):
                self.met["whom"] += 1
                self.mention(subject)
                assert Bond(self.index(subject), deed, self.index(mention)) in self.scene.bonds

    def predicate(self, subject: Mention, predicate: Predicate) -> None:
        match predicate:
            case Does(deed, what):
                self.met[deed] += 1
                self.mention(what)
                assert Bond(self.index(subject), deed, self.index(what)) in self.scene.bonds
            case IsWhere(relation, landmarks, polarity):
                self.met[f"{polarity} {relation}"] += 1
                for landmark in landmarks:
                    self.mention(landmark)
                hulls = [self.scene.things[self.index(mention)].hull for mention in (subject, *landmarks)]
                assert holds(relation, *hulls) is (polarity == "yes")
            case IsSuch(aspect, value, polarity):
                self.met[f"{polarity} {aspect}"] += 1
                assert (getattr(self.scene.things[self.index(subject)], aspect) == value) is (polarity == "yes")
                assert getattr(subject, aspect) is None


def test_every_statement_is_true_and_names_nothing_twice(descriptions: list[Description]) -> None:
    met: Counter[str] = Counter()
    relations: tuple[Relation, ...] = ("left of", "right of", "above", "below", "next to", "on", "between")
    for description in descriptions:
        reader = Reader(description.scene)
        for clause in clauses(description.statement):
            reader.clause(clause)
        assert len(reader.named) == len(set(reader.named))
        met += reader.met
    for claim in ("exists", "absent", "spot", "with", "which", "whom", "hold", "wear", "ride", "look at", "not colour"):
        assert met[claim] > 40, claim
    for relation in relations:
        assert met[f"yes {relation}"] > 40, relation


def test_all_kinds_of_sentences_occur(descriptions: list[Description]) -> None:
    kinds = Counter(type(description.statement).__name__ for description in descriptions)
    joiners = Counter(d.statement.joiner for d in descriptions if isinstance(d.statement, Joined))
    fronted = sum(isinstance(d.statement, Says) and d.statement.spot is not None for d in descriptions)
    assert set(kinds) == {"Exists", "Shows", "Says", "Joined", "SeenThat"}
    assert min(*kinds.values(), *joiners.values(), fronted) > 80
    assert set(joiners) == {"and", "but", "while"}
