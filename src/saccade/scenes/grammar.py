"""From plan to words: what the grammars share.

Every grammar builds a list of words in order; :meth:`Grammar.fuse` then writes neighbours as the language does
(a + umbrella = an umbrella, de + le = du, de + el = del). English, French and Spanish put a clause together in the
same order and differ inside the phrases; German has its own order and its own file.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar, Literal

from saccade.scenes.kinds import KINDS, Deed
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
    Polarity,
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
from saccade.scenes.words import Sentence, Word, phrase, word
from saccade.scenes.world import Relation

Being = Literal["where", "such"]
"""To be somewhere or to be somehow: Spanish has a verb for each (está, es)."""
Role = Literal["subject", "object"]


class Grammar(ABC):
    """Turns a plan into a sentence of one language."""

    language: ClassVar[str]
    frames: ClassVar[dict[Frame, str]]
    joiners: ClassVar[dict[Joiner, str]]
    spots: ClassVar[dict[Spot, str]]
    relations: ClassVar[dict[Relation, str]]
    that: ClassVar[str]
    conjunction: ClassVar[str]

    def sentence(self, plan: Statement) -> Sentence:
        """Say the plan."""
        return Sentence(self.language, tuple(self.fuse(self.statement(plan))))

    @abstractmethod
    def statement(self, plan: Statement) -> list[Word]:
        """The words of the plan, each as it would stand alone."""

    @abstractmethod
    def fuse(self, words: list[Word]) -> list[Word]:
        """Write neighbouring words as the language does."""

    def frame(self, frame: Frame, things: tuple[int, ...] = ()) -> tuple[Word, ...]:
        """I see / the picture shows."""
        return phrase(self.frames[frame], things)

    def spot(self, spot: Spot | None, things: tuple[int, ...]) -> tuple[Word, ...]:
        """The adverbial of place, if there is one."""
        return () if spot is None else phrase(self.spots[spot], things)

    def listed(self, phrases: Sequence[list[Word]], mentions: tuple[Mention, ...]) -> list[Word]:
        """A and B."""
        words = list(phrases[0])
        for following, (one, other) in zip(phrases[1:], pairwise(mentions), strict=True):
            words.append(word(self.conjunction, "and", one.things + other.things))
            words.extend(following)
        return words


class SubjectVerbObject(Grammar):
    """The order that English, French and Spanish share, in main clauses and in subordinate ones."""

    preposition_with: ClassVar[str]
    relatives: ClassVar[dict[Role, tuple[str, str]]]
    """For each role the pronoun for things and the one for people."""
    copulas: ClassVar[dict[Being, tuple[str, str]]]
    """For one subject and for more."""
    negated: ClassVar[str]
    """How "not" stands around the copula."""
    verbs: ClassVar[dict[Deed, tuple[str, str]]]
    """For one subject and for more; "at" is the aspect of the preposition, where a language needs one."""
    verbs_for: ClassVar[dict[tuple[Deed, str], tuple[str, str]]]
    """Where the verb depends on the kind of the object."""

    @abstractmethod
    def core(self, mention: Mention) -> list[Word]:
        """The noun phrase without its tail."""

    @abstractmethod
    def there_is(self, mentions: tuple[Mention, ...]) -> tuple[Word, ...]:
        """There is / there are / there is no; for "no" the determiner may live here or in the noun phrase."""

    @abstractmethod
    def adjective(self, subject: Mention, predicate: IsSuch) -> Word:
        """The adjective after the copula."""

    def statement(self, plan: Statement) -> list[Word]:
        match plan:
            case Joined(first, joiner, second):
                return [*self.clause(first), *phrase(self.joiners[joiner]), *self.clause(second)]
            case SeenThat(clause):
                return [*self.frame("see"), *phrase(self.that), *self.clause(clause)]
            case _:
                return self.clause(plan)

    def clause(self, clause: Clause) -> list[Word]:
        match clause:
            case Exists(mentions, spot, position):
                place = self.spot(spot, mentions[0].things)
                said = [*self.there_is(mentions), *self.listed([self.noun_phrase(m) for m in mentions], mentions)]
                return [*place, *said] if position == "start" else [*said, *place]
            case Shows(frame, mentions):
                return [*self.frame(frame), *self.listed([self.noun_phrase(m) for m in mentions], mentions)]
            case Says(subject, predicate, spot):
                place = self.spot(spot, subject.things)
                return [*place, *self.noun_phrase(subject), *self.predicate(subject, predicate)]

    def noun_phrase(self, mention: Mention) -> list[Word]:
        words = self.core(mention)
        match mention.tail:
            case With(item):
                words.append(word(self.preposition_with, "with", mention.things + item.things))
                words.extend(self.noun_phrase(item))
            case Which(predicate):
                words.append(self.relative("subject", mention))
                words.extend(self.predicate(mention, predicate))
            case Whom(subject, deed):
                words.append(self.relative("object", mention))
                words.extend(self.noun_phrase(subject))
                words.extend(self.verb(deed, subject.plural, mention, subject.things + mention.things))
        return words

    def relative(self, role: Role, mention: Mention) -> Word:
        """Who, that, qui, que."""
        return word(self.relatives[role][KINDS[mention.kind].family == "person"], "who", mention.things)

    def be(self, being: Being, plural: bool, polarity: Polarity, things: tuple[int, ...]) -> tuple[Word, ...]:
        """The copula, with its negation."""
        be = self.copulas[being][plural]
        return phrase(self.negated.format(be) if polarity == "not" else be, things)

    def verb(self, deed: Deed, plural: bool, what: Mention, things: tuple[int, ...]) -> tuple[Word, ...]:
        """The verb and the preposition that it asks for."""
        forms = self.verbs_for.get((deed, what.kind), self.verbs[deed])
        return phrase(forms[plural], things)

    def predicate(self, subject: Mention, predicate: Predicate) -> list[Word]:
        match predicate:
            case Does(deed, what):
                things = subject.things + what.things
                return [*self.verb(deed, subject.plural, what, things), *self.noun_phrase(what)]
            case IsWhere(relation, landmarks, polarity):
                things = subject.things + tuple(thing for landmark in landmarks for thing in landmark.things)
                return [
                    *self.be("where", subject.plural, polarity, things),
                    *phrase(self.relations[relation], things),
                    *self.listed([self.noun_phrase(landmark) for landmark in landmarks], landmarks),
                ]
            case IsSuch(_, _, polarity):
                return [
                    *self.be("such", subject.plural, polarity, subject.things),
                    self.adjective(subject, predicate),
                ]
