"""German: the verb second in main clauses, also after a fronted place, and last in subordinate and relative ones."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from saccade.scenes.declension import ADJECTIVES, RELATIVE, Case, core, slot
from saccade.scenes.grammar import Grammar
from saccade.scenes.kinds import MOUNTS, Deed
from saccade.scenes.plan import (
    Clause,
    Does,
    Exists,
    Frame,
    IsSuch,
    IsWhere,
    Joined,
    Joiner,
    Mention,
    Predicate,
    Says,
    SeenThat,
    Shows,
    Spot,
    Statement,
    Which,
    Whom,
    With,
)
from saccade.scenes.words import Word, merge, phrase, word
from saccade.scenes.world import Relation

Order = Literal["verb second", "verb last"]
COMMA = Word(",")


@dataclass(frozen=True, slots=True)
class Verb:
    """``preposition`` governs the dative; ``particle`` leaves the verb in a main clause: sieht ... an, ansieht."""

    singular: str
    plural: str
    preposition: str | None = None
    particle: str | None = None


VERBS: dict[Deed, Verb] = {
    "hold": Verb("hält", "halten"),
    "wear": Verb("trägt", "tragen"),
    "ride": Verb("fährt", "fahren", preposition="auf"),
    "look at": Verb("sieht", "sehen", particle="an"),
}
RIDING_AN_ANIMAL = Verb("reitet", "reiten", preposition="auf")


def _verb(deed: Deed, what: Mention) -> Verb:
    return RIDING_AN_ANIMAL if deed == "ride" and what.kind in MOUNTS else VERBS[deed]


@dataclass(frozen=True, slots=True)
class Parts:
    """A predicate before it is put in order: the finite verb, its particle if any, and all between them.

    ``after`` is a relative clause about the object, which German puts behind the verb rather than before it: sieht
    den Mann an, der einen Hut trägt.
    """

    finite: Word
    middle: list[Word]
    particle: Word | None = None
    after: tuple[Word, ...] = ()

    def second(self) -> list[Word]:
        """What follows when the verb has gone to the second place."""
        return [*self.middle, *([self.particle] if self.particle else []), *self.after]

    def last(self) -> list[Word]:
        """The whole, with the verb at the end."""
        verb = self.finite
        if self.particle is not None:
            verb = merge(self.particle.text + verb.text, verb, self.particle)
        return [*self.middle, verb, *self.after]


class German(Grammar):
    language = "de"
    that = "dass:that"
    conjunction = "und"
    frames: ClassVar[dict[Frame, str]] = {
        "see": "ich:viewer sehe:see",
        "picture": "das:picture.article Bild:picture zeigt:shows",
    }
    joiners: ClassVar[dict[Joiner, str]] = {"and": "und:join", "but": ",:comma aber:join", "while": "während:join"}
    spots: ClassVar[dict[Spot, str]] = {
        "top left": "in:in der:in.article oberen:height linken:side Ecke:corner",
        "top right": "in:in der:in.article oberen:height rechten:side Ecke:corner",
        "bottom left": "in:in der:in.article unteren:height linken:side Ecke:corner",
        "bottom right": "in:in der:in.article unteren:height rechten:side Ecke:corner",
        "top": "oben:in+height",
        "bottom": "unten:in+height",
        "left": "links:in+side",
        "right": "rechts:in+side",
        "middle": "in:in der:in.article Mitte:middle",
        "picture": "auf:in dem:in.article Bild:picture",
    }
    relations: ClassVar[dict[Relation, str]] = {
        "left of": "links:where von:of",
        "right of": "rechts:where von:of",
        "above": "über:where+of",
        "below": "unter:where+of",
        "next to": "neben:where+of",
        "on": "auf:where+of",
        "between": "zwischen:where",
    }

    def statement(self, plan: Statement) -> list[Word]:
        match plan:
            case Joined(first, "while", second):
                return [*self.clause(first), COMMA, *phrase(self.joiners["while"]), *self.clause(second, "verb last")]
            case Joined(first, joiner, second):
                return [*self.clause(first), *phrase(self.joiners[joiner]), *self.clause(second)]
            case SeenThat(clause):
                return [*self.frame("see"), COMMA, *phrase(self.that), *self.clause(clause, "verb last")]
            case _:
                return self.clause(plan)

    def clause(self, clause: Clause, order: Order = "verb second") -> list[Word]:
        match clause:
            case Exists(mentions, spot, position):
                things = mentions[0].things
                place = self.spot(spot, things)
                listed = self.listed([self.noun_phrase(m, "accusative") for m in mentions], mentions)
                it, gives = phrase("es:exists gibt:exists", things)
                if order == "verb last":
                    return [it, *place, *listed, gives]
                return [*place, gives, it, *listed] if place and position == "start" else [it, gives, *place, *listed]
            case Shows(frame, mentions):
                listed = self.listed([self.noun_phrase(m, "accusative") for m in mentions], mentions)
                return [*self.frame(frame), *listed]
            case Says(subject, predicate, spot):
                place = self.spot(spot, subject.things)
                who = self.noun_phrase(subject, "nominative")
                parts = self.predicate(subject, predicate)
                if order == "verb last":
                    return [*who, *place, *parts.last()]
                opening = [*place, parts.finite, *who] if place else [*who, parts.finite]
                return [*opening, *parts.second()]

    def noun_phrase(self, mention: Mention, case: Case) -> list[Word]:
        return [*core(mention, case), *self.tail(mention)]

    def tail(self, mention: Mention) -> list[Word]:
        things = mention.things
        match mention.tail:
            case With(item):
                return [word("mit", "with", things + item.things), *self.noun_phrase(item, "dative")]
            case Which(predicate):
                pronoun = word(RELATIVE["nominative"][slot(mention)], "who", things)
                return [COMMA, pronoun, *self.predicate(mention, predicate).last(), COMMA]
            case Whom(subject, deed):
                pronoun = word(RELATIVE["accusative"][slot(mention)], "who", things)
                who = self.noun_phrase(subject, "nominative")
                return [COMMA, pronoun, *who, *self.deed(deed, subject, mention, []).last(), COMMA]
            case None:
                return []

    def predicate(self, subject: Mention, predicate: Predicate) -> Parts:
        match predicate:
            case Does(deed, what):
                said, tail = core(what, _object_case(deed)), self.tail(what)
                if _restricted(what):
                    return self.deed(deed, subject, what, said, tuple(tail))
                return self.deed(deed, subject, what, said + tail)
            case IsWhere(relation, landmarks, polarity):
                things = subject.things + tuple(thing for landmark in landmarks for thing in landmark.things)
                where = phrase(self.relations[relation], things)
                listed = self.listed([self.noun_phrase(landmark, "dative") for landmark in landmarks], landmarks)
                if where[-1].text == "von" and listed[0].text == "dem" and not _restricted(landmarks[0]):
                    listed[0] = merge("vom", where[-1], listed[0])
                    where = where[:-1]
                return Parts(_be(subject, things), [*_negation(polarity, things), *where, *listed])
            case IsSuch(aspect, value, polarity):
                adjective = word(ADJECTIVES[value], aspect, subject.things)
                return Parts(_be(subject, subject.things), [*_negation(polarity, subject.things), adjective])

    def deed(
        self, deed: Deed, subject: Mention, what: Mention, said: list[Word], after: tuple[Word, ...] = ()
    ) -> Parts:
        """The verb around the words ``said`` of its object."""
        verb = _verb(deed, what)
        things = subject.things + what.things
        alone = verb.preposition is None and verb.particle is None
        finite = word(verb.plural if subject.plural else verb.singular, "deed+at" if alone else "deed", things)
        middle = said if verb.preposition is None else [word(verb.preposition, "at", things), *said]
        particle = None if verb.particle is None else word(verb.particle, "at", things)
        return Parts(finite, middle, particle, after)

    def fuse(self, words: list[Word]) -> list[Word]:
        """Two commas that meet are one, and none ends the sentence."""
        fused: list[Word] = []
        for here in words:
            if fused and here.text == fused[-1].text == ",":
                fused[-1] = merge(",", fused[-1], here)
            else:
                fused.append(here)
        if fused[-1].text == ",":
            fused.pop()
        return fused


def _object_case(deed: Deed) -> Case:
    return "accusative" if VERBS[deed].preposition is None else "dative"


def _restricted(mention: Mention) -> bool:
    """Whether a relative clause picks the thing out: then the article keeps its weight (von dem Baum, der ...)."""
    return isinstance(mention.tail, Which | Whom)


def _be(subject: Mention, things: tuple[int, ...]) -> Word:
    return word("sind" if subject.plural else "ist", "be", things)


def _negation(polarity: str, things: tuple[int, ...]) -> tuple[Word, ...]:
    return phrase("nicht:negation", things) if polarity == "not" else ()
