"""What is said: language-neutral trees. A grammar turns them into words, a planner draws them from a scene.

A plan names everything it says (kind, colour, count ...), so that a grammar needs nothing else, and points at the
things of the scene only to tell words where their region is. :func:`meaning` is the plan without the pointers.
"""

from dataclasses import dataclass
from typing import Literal

from saccade.scenes.kinds import Deed
from saccade.scenes.world import Place, Relation

Determiner = Literal["a", "the", "count", "the count", "bare", "no"]
"""a circle / the circle(s) / two circles / the two circles / circles / no circle."""

Spot = Place | Literal["picture"]
Joiner = Literal["and", "but", "while"]
Position = Literal["start", "end"]
Polarity = Literal["yes", "not"]
Frame = Literal["see", "picture"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A noun phrase. ``thing`` is None for what is not in the scene ("no red circle")."""

    kind: str
    determiner: Determiner
    count: int = 1
    colour: str | None = None
    size: str | None = None
    age: str | None = None
    thing: int | None = None
    tail: "With | Which | Whom | None" = None

    @property
    def plural(self) -> bool:
        return self.count > 1

    @property
    def things(self) -> tuple[int, ...]:
        return () if self.thing is None else (self.thing,)

    @property
    def weight(self) -> int:
        """How many things are said: determiner, adjectives, noun; a tail counts as two."""
        determiner = {"bare": 0, "the count": 2}.get(self.determiner, 1)
        described = sum(part is not None for part in (self.colour, self.size, self.age))
        return determiner + described + 1 + (0 if self.tail is None else 2)


@dataclass(frozen=True, slots=True)
class With:
    """... with a green hat."""

    item: Mention


@dataclass(frozen=True, slots=True)
class Which:
    """A relative clause about its noun as subject: ... who holds a ball, ... that is left of the tree."""

    predicate: "IsWhere | IsSuch | Does"


@dataclass(frozen=True, slots=True)
class Whom:
    """A relative clause about its noun as object: ... that the woman holds. Not for living things, nor for riding,
    where the pronoun would need a preposition (a la que, auf dem)."""

    subject: Mention
    deed: Deed


@dataclass(frozen=True, slots=True)
class IsWhere:
    """... is (not) left of the square; two landmarks for "between"."""

    relation: Relation
    landmarks: tuple[Mention, ...]
    polarity: Polarity = "yes"


@dataclass(frozen=True, slots=True)
class IsSuch:
    """... is (not) red."""

    aspect: Literal["colour", "size", "age"]
    value: str
    polarity: Polarity = "yes"


@dataclass(frozen=True, slots=True)
class Does:
    """... holds a ball."""

    deed: Deed
    object: Mention


Predicate = IsWhere | IsSuch | Does


@dataclass(frozen=True, slots=True)
class Exists:
    """There is ..., with a place before or after it."""

    mentions: tuple[Mention, ...]
    spot: Spot | None = None
    position: Position = "end"


@dataclass(frozen=True, slots=True)
class Shows:
    """I see ... / the picture shows ..."""

    frame: Frame
    mentions: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Says:
    """A subject and what is said of it; a place, if any, comes first: on the left a woman holds a ball."""

    subject: Mention
    predicate: Predicate
    spot: Spot | None = None


Clause = Exists | Shows | Says


@dataclass(frozen=True, slots=True)
class Joined:
    """Two clauses in one sentence."""

    first: Clause
    joiner: Joiner
    second: Clause


@dataclass(frozen=True, slots=True)
class SeenThat:
    """I see that ..."""

    clause: Clause


Statement = Clause | Joined | SeenThat


def meaning(plan: Statement) -> str:
    """What the plan says, as a line of text: equal for two plans if and only if they say the same."""
    match plan:
        case Joined(first, joiner, second):
            return f"{joiner}({_clause(first)},{_clause(second)})"
        case SeenThat(clause):
            return f"seen({_clause(clause)})"
        case _:
            return _clause(plan)


def _clause(clause: Clause) -> str:
    match clause:
        case Exists(mentions, spot, position):
            where = f"{position} {spot}" if spot else ""
            return f"exists({_list(mentions)},{where})"
        case Shows(frame, mentions):
            return f"{frame}({_list(mentions)})"
        case Says(subject, predicate, spot):
            return f"says({_mention(subject)},{_predicate(predicate)},{spot})"


def _predicate(predicate: Predicate) -> str:
    match predicate:
        case IsWhere(relation, landmarks, polarity):
            return f"{polarity} {relation}({_list(landmarks)})"
        case IsSuch(aspect, value, polarity):
            return f"{polarity} {aspect}({value})"
        case Does(deed, what):
            return f"{deed}({_mention(what)})"


def _list(mentions: tuple[Mention, ...]) -> str:
    return "+".join(map(_mention, mentions))


def _mention(mention: Mention) -> str:
    number = str(mention.count) if mention.determiner in ("count", "the count") else ("one", "more")[mention.plural]
    core = f"{mention.determiner} {number} {mention.age} {mention.size} {mention.colour} {mention.kind}"
    match mention.tail:
        case None:
            return core
        case With(item):
            return f"{core}[with {_mention(item)}]"
        case Which(predicate):
            return f"{core}[which {_predicate(predicate)}]"
        case Whom(subject, deed):
            return f"{core}[whom {_mention(subject)} {deed}]"
